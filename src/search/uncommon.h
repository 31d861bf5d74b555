/* uncommon.h - a query of any of many words, without those that very many documents have: looking at each of these would
** take long, and they say little.  They are counted later, in the documents that have the others (ranking.h). */
#ifndef ST_UNCOMMON_H
#define ST_UNCOMMON_H

#include "search/index.h"
#include "search/query.h"

/* The query without its commonest words, as far as documents would be looked at too often; at least one word stays.  *from:
** only documents of this number and above are to be looked at, where even that is too often.  NULL: the call has failed. */
const st_query *st_uncommon(st_call *call, st_index *index, const st_query *query, int64_t *from);

#endif
