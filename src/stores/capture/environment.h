/* environment.h - the part of an environment that is kept with a command. */
#ifndef ST_CAPTURE_ENVIRONMENT_H
#define ST_CAPTURE_ENVIRONMENT_H

#include "engine/call.h"

/* The number of the snapshot of what is harmless in an environment, a JSON object of texts; null if that is nothing. */
st_value st_capture_environment(st_call *call, const st_value *env, st_value now);

#endif
