/* segments.h - writing a segment of an agent's session, for methods and for the import of transcripts. */
#ifndef ST_CAPTURE_SEGMENTS_H
#define ST_CAPTURE_SEGMENTS_H

#include "engine/call.h"

/* What became of it. */
typedef struct st_put_segment {
  st_value id;
  bool created, changed, enqueued;
} st_put_segment;

/* args: of upsert_segment, all of them. */
void st_capture_put_segment(st_call *call, const st_value *args, st_put_segment *out);

#endif
