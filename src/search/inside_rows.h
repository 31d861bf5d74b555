/* inside_rows.h - the rows of the index on PostgreSQL that may have what is looked for inside of words (inside.h): those that have, for
** each token, some word that may stand for it.  Reading them tells whether they do.
**
** Of terms that must all be there, the one that the fewest rows have is looked up first, and the others only as long as many rows are
** left.  Where so many words have what is looked for that hardly a row is without, none of them are looked up: any row may match. */
#ifndef ST_SEARCH_INSIDE_ROWS_H
#define ST_SEARCH_INSIDE_ROWS_H

#include "search/candidates.h"
#include "search/indexer_postgres.h"
#include "search/words_with.h"

/* What may stand for the first token of a term. */
typedef struct st_inside_words {
  st_words_with with;
  bool everywhere; /* hardly a row is without */
} st_inside_words;

typedef struct st_inside_rows {
  st_call *call;
  st_arena *arena;
  const st_postgres_parts *parts;
  const st_query *query;
  const st_value *roles; /* only what these said */
  const st_query_node *rarest_first; /* the query with its terms in that order; NULL: not known yet */
  st_inside_words words[ST_QUERY_TERMS_MAX]; /* by number of the term; where its token is not told, they are not known yet */
} st_inside_rows;

/* In some parts of the index, of the few (unless they are all), in the arena.  Up to `unread` of them may be of other roles: so few are sooner
** read than asked who said them. */
st_ids st_inside_rows_find(st_inside_rows *in, const st_postgres_part *const *parts, size_t count, const st_ids *few, size_t unread);

#endif
