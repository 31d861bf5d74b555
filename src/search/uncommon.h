/* uncommon.h - what of a query of any of many words is looked for in an index, so that it does not take long: not the
** forms of words that no document has, and not the words that very many have.  The latter say little; they are counted
** later, in the documents that have the others (ranking.h). */
#ifndef ST_UNCOMMON_H
#define ST_UNCOMMON_H

#include "search/index.h"
#include "search/query.h"

typedef struct st_uncommon {
  const st_query *query;           /* what is looked for; EMPTY: no document has any of the words */
  int place[ST_QUERY_TERMS_MAX];   /* of each term of the whole query in that one; -1: it is left out */
  double rows[ST_QUERY_TERMS_MAX]; /* about how many documents have each, of those left out; 0: few, or none */
  int64_t from;                    /* only documents of this number and above, where the rarest word is too common too */
} st_uncommon;

/* How to look for it.  False: the call has failed. */
bool st_uncommon_plan(st_call *call, st_index *index, const st_query *query, st_uncommon *plan);

#endif
