/* keep.h - what a way in brings: kept once, put into its queue, and noted in the health of its source.
**
** All in the call's transaction, so that what is told of a source is true of its rows. */
#ifndef ST_CAPTURE_KEEP_H
#define ST_CAPTURE_KEEP_H

#include "engine/call.h"

/* A row that comes in an envelope. */
typedef struct st_kept {
  int write;            /* the method that writes it; no row: its envelope is known */
  int find;             /* that finds the row of an envelope, */
  int enqueue;          /* and that puts a row into its queue */
  const st_value *args; /* of `write` */
  st_value envelope;    /* its id; null: in none */
  st_value probe;       /* not null: it is a probe, which waits in no queue and is not counted */
  st_value source, timestamp, now;
} st_kept;

/* The row that came in an envelope; false: there is none. */
bool st_capture_find(st_call *call, int find, const st_value *envelope, int64_t *id);
/* Keep it; false: its envelope is known, and nothing was changed.  Either way *id tells the row. */
bool st_capture_keep(st_call *call, const st_kept *kept, int64_t *id);

/* Its source is well, and has brought so many: record_source_success. */
void st_capture_well(st_call *call, st_value source, st_value newest, int64_t brought, st_value now);
/* A probe has left a row: nothing is known of its source but that. */
void st_capture_probed(st_call *call, st_value source, st_value newest, st_value now);

/* SHA-256 of a text, in the call's memory. */
st_value st_capture_hash(st_call *call, const char *text, size_t length);

#endif
