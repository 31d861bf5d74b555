/* quick.h - an answer while somebody is still typing: soon, rather than whole.
**
** Two things make a search long where there are very many messages: the beginning of a word, for which all there
** is of every word that begins so is read, and words that most messages have.  For the first, the commonest words
** that begin so stand in; of the second, only the newest messages are looked at. */
#ifndef ST_QUICK_H
#define ST_QUICK_H

#include "engine/call.h"
#include "search/query.h"
#include "search/vocabulary.h"

/* What is known of the words of an index, and how much of it may be looked at. */
typedef struct st_quick_words {
  st_index *index; /* NULL: it is on PostgreSQL */
  double total_rows;
  int64_t last; /* the greatest number of a message */
  double most;  /* places to look at, about */
} st_quick_words;

st_quick_words st_quick_index(st_index *index);
st_quick_words st_quick_postgres(double total_rows, int64_t last);

typedef struct st_quick {
  const st_query *query;           /* what is looked for instead */
  double rows[ST_QUERY_TERMS_MAX]; /* about how many messages have each of its terms */
  int64_t from;                    /* only messages of this number and above */
} st_quick;

/* How to look for a query quickly.  False: the call has failed. */
bool st_quick_plan(st_call *call, const st_quick_words *words, const st_query *query, st_quick *plan);

#endif
