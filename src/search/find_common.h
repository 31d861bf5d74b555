/* find_common.h - a query with words that very many rows have, answered from the postings of its terms (common.h). */
#ifndef ST_FIND_COMMON_H
#define ST_FIND_COMMON_H

#include "search/index.h"
#include "search/query.h"
#include "search/rank.h"

/* Offer the rows that match.  False: it is not such a query, and nothing was done.  Otherwise the frequencies of the terms
** are known afterwards, or the call has failed. */
bool st_find_common(st_call *call, st_index *index, const st_query *query, st_rank *rank);

#endif
