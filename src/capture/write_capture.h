/* write_capture.h - rows of the capture store, of what was cut out of transcripts.  All inside a transaction. */
#ifndef ST_WRITE_CAPTURE_H
#define ST_WRITE_CAPTURE_H

#include "capture/batch.h"
#include "engine/call.h"

/* Is it for the capture store? */
bool st_is_captured(const st_item *item);
void st_write_captured(st_call *call, const st_item *item, const char *hostname, st_value now);
/* The source of a harness has failed. */
void st_write_source_error(st_call *call, const st_reader *reader, const char *why, st_value now);

#endif
