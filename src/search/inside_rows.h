/* inside_rows.h - the rows of the index on PostgreSQL that may have what is looked for inside of words (inside.h): those that have, for
** each token, some word that may stand for it.  Reading them tells whether they do.
**
** Of terms that must all be there, the one that the fewest rows have is looked up first, and the others only as long as many rows are
** left. */
#ifndef ST_SEARCH_INSIDE_ROWS_H
#define ST_SEARCH_INSIDE_ROWS_H

#include "search/candidates.h"
#include "search/indexer_postgres.h"
#include "search/words_with.h"

typedef struct st_inside_rows {
  st_call *call;
  st_arena *arena;
  const st_postgres_parts *parts;
  st_words_with words[ST_QUERY_TERMS_MAX]; /* that may stand for the first token of each term; where that is not told, they are not known yet */
} st_inside_rows;

/* Of the part that begins with that number and later ones, in the arena. */
st_ids st_inside_rows_find(st_inside_rows *in, const st_query *query, int64_t part, const st_ids *few);

/* The first number of the last parts that have so many rows. */
int64_t st_inside_rows_part(const st_postgres_parts *parts, double rows);

#endif
