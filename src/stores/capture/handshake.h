/* handshake.h - workers work only with a store of the version that they expect. */
#ifndef ST_CAPTURE_HANDSHAKE_H
#define ST_CAPTURE_HANDSHAKE_H

#include "engine/call.h"

/* A worker that said what it expects goes on; one that expects another version than the file has does not: DENIED.  What it
** expects is noted.  Null or absent: it did not say, and nothing is looked at. */
void st_capture_expects(st_call *call, const st_value *worker, const st_value *expects, const st_value *now);

#endif
