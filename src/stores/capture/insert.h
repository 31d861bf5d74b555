/* insert.h - what insert_event and insert_browser_event do with their arguments, for whoever has many of them. */
#ifndef ST_CAPTURE_INSERT_H
#define ST_CAPTURE_INSERT_H

#include "engine/call.h"

/* Keep it.  False: its envelope is known, and nothing was changed.  Either way *id tells the row. */
bool st_capture_keep_event(st_call *call, const st_value *event, int64_t *id);
bool st_capture_keep_visit(st_call *call, const st_value *visit, int64_t *id);

#endif
