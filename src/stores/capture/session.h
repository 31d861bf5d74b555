/* session.h - the session that a terminal is in. */
#ifndef ST_CAPTURE_SESSION_H
#define ST_CAPTURE_SESSION_H

#include "engine/call.h"

/* Its number: of the newest session of the terminal, or of one that is made now.  args: of open_session. */
st_value st_capture_session(st_call *call, const st_value *args);

#endif
