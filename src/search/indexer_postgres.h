/* indexer_postgres.h - keeping the index of messages on PostgreSQL (postings.sql). */
#ifndef ST_INDEXER_POSTGRES_H
#define ST_INDEXER_POSTGRES_H

#include "engine/call.h"

/* Index what was noted as new, changed or deleted; *indexed counts messages.  Each part is a transaction of its own. */
void st_postgres_catch_up(st_call *call, int64_t *indexed);

/* Make anew the parts of which most messages were deleted or changed since: what is left of each is due again, and indexed; *indexed
** counts it, too. */
void st_postgres_renew(st_call *call, int64_t *indexed);

/* Throw it away: all messages are due again. */
void st_postgres_restart(st_call *call);

typedef struct st_postgres_part {
  int64_t first, last, rows; /* its numbers: it has all from the first to the last */
  int64_t live;              /* of these, messages still; -1: it was emptied, and nothing is found there */
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
