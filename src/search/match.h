/* match.h - does a text match a query?  For rows that are not in the index yet: the answer is the one
** that FTS5 would give.  Also where in the text, for snippets, and how often, for ranking. */
#ifndef ST_MATCH_H
#define ST_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "search/query.h"

typedef struct st_column {
  const char *text; /* may be NULL when length is 0 */
  size_t length;
} st_column;

/* A query made ready, for any number of texts, one at a time. */
typedef struct st_matcher st_matcher;

/* It lives in the arena and needs the query.  NULL: out of memory. */
st_matcher *st_matcher_new(st_arena *arena, const st_query *query);

const st_query *st_matcher_query(const st_matcher *matcher);

/* Does a row match?  A phrase stands within one column. */
bool st_match(st_matcher *matcher, const st_column *columns, int count);

/* Of the row last matched (or the text last stepped through): how often a term stands in it, and how many
** tokens it has, as FTS5 counts them for BM25 (a boundary is a token). */
int st_match_times(const st_matcher *matcher, const st_term *term);
size_t st_match_tokens(const st_matcher *matcher);

/* A place where a term stands, from byte to byte. */
typedef struct st_place {
  const st_term *term;
  size_t start;
  size_t end;
} st_place;

/* A step through a text: one token and the places that end with it, `count` of them, 0 for most. */
typedef bool st_place_fn(void *to, size_t start, size_t end, const st_place *places, int count);

/* Step through one text, token by token.  False: fn stopped it. */
bool st_match_places(st_matcher *matcher, const char *text, size_t length, st_place_fn *fn, void *to);

#endif
