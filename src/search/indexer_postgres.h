/* indexer_postgres.h - keeping the index of messages on PostgreSQL (postings.sql). */
#ifndef ST_INDEXER_POSTGRES_H
#define ST_INDEXER_POSTGRES_H

#include "engine/call.h"

/* Who said a message is kept as if it were a word of it, behind this. */
#define ST_POSTGRES_ROLE "\x02"

/* Index what was noted as new, changed or deleted; *indexed counts messages.  Each part is a transaction of its own. */
void st_postgres_catch_up(st_call *call, int64_t *indexed);

/* Throw it away: all messages are due again. */
void st_postgres_restart(st_call *call);

typedef struct st_postgres_part {
  int64_t first, last, rows; /* its numbers: it has all from the first to the last */
  double oldest, newest;     /* the times of its messages */
} st_postgres_part;

/* The parts of the index, in order, in the call's memory; the index as a whole. */
typedef struct st_postgres_parts {
  st_postgres_part *all;
  size_t count, room;
  int64_t last; /* the greatest number that was given */
  double rows, tokens;
} st_postgres_parts;
void st_postgres_parts_read(st_call *call, st_postgres_parts *out);

#endif
