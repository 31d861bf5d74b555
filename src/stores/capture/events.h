/* events.h - keeping a command or a tool call, for methods and for the import of transcripts. */
#ifndef ST_CAPTURE_EVENTS_H
#define ST_CAPTURE_EVENTS_H

#include "engine/call.h"

/* event: the arguments of insert_event, all of them.  False: it was there already.  Either way *id tells which it is. */
bool st_capture_put_event(st_call *call, const st_value *event, int64_t *id);

#endif
