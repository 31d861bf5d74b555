/* quick.h - an answer while somebody is still typing: soon, rather than whole.
**
** Two things make a search long where there are very many messages: the beginning of a word, for which FTS5 reads
** all there is of every word that begins so, and words that most messages have.  For the first, the commonest words
** that begin so stand in; of the second, only the newest messages are looked at. */
#ifndef ST_QUICK_H
#define ST_QUICK_H

#include "search/index.h"
#include "search/query.h"

typedef struct st_quick {
  const st_query *query;           /* what is looked for instead */
  double rows[ST_QUERY_TERMS_MAX]; /* about how many messages have each of its terms */
  int64_t from;                    /* only messages of this number and above */
} st_quick;

/* How to look for a query quickly.  False: the call has failed. */
bool st_quick_plan(st_call *call, st_index *index, const st_query *query, st_quick *plan);

#endif
