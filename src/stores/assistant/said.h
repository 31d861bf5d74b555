/* said.h - what the rows say that can be found by meaning: notes, interactions and articles to read. */
#ifndef ST_ASSISTANT_SAID_H
#define ST_ASSISTANT_SAID_H

#include "base/str.h"
#include "engine/call.h"

/* The tables, in the order in which they are read. */
#define ST_SOURCES 3
extern const char *const st_sources[ST_SOURCES];
/* What recall calls the rows of one of them. */
const char *st_said_kind(const char *source);

#define ST_SAID_PARTS 4
enum { ST_SAID_TITLE, ST_SAID_BODY }; /* of the parts */

/* A row, valid until the next one is read. */
typedef struct st_said {
  st_value id, created_at; /* texts */
  st_value parts[ST_SAID_PARTS]; /* texts or null: title, body, and what else it says */
  st_value model, dimension, vector, text_hash; /* that a caller brought; null: nobody did */
} st_said;

/* Which rows of a source are read: all, the newest `limit` of those without any embedding kept (unembedded), or
** those with a vector that a caller brought (kept). */
typedef struct st_said_which {
  const char *source;
  int64_t dimension; /* vectors of this dimension are read too; 0: none */
  bool unembedded, kept;
  int64_t limit; /* 0: all, in no order */
} st_said_which;

/* Read row by row, with st_rows_next() and st_said_get(). */
void st_said_start(st_call *call, st_rows *rows, const st_said_which *which);
void st_said_get(st_call *call, st_rows *rows, st_said *out);

/* One row, in the call's memory; false: there is none. */
bool st_said_find(st_call *call, const char *source, const st_value *id, int64_t dimension, st_said *out);

/* All that it says, in lines: what is to be embedded. */
void st_said_join(const st_said *said, st_str *out);
int64_t st_said_hash(const st_said *said);
/* Is the vector that was brought of the text that it has now? */
bool st_said_is_embedded(const st_said *said);

/* What a search tells of it, in the call's memory. */
st_value st_said_title(st_call *call, const char *source, const st_said *said);
st_value st_said_snippet(st_call *call, const st_said *said);

#endif
