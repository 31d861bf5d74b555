/* by_time.h - of rows of the index on PostgreSQL, those that come first by time.
**
** Each part knows between which times its messages are, and the time of each.  Parts are read in the order of their newest (or
** oldest) message, and no further than others could come first. */
#ifndef ST_SEARCH_BY_TIME_H
#define ST_SEARCH_BY_TIME_H

#include "search/candidates.h"
#include "search/find.h"
#include "search/indexer_postgres.h"

/* Offer rows, by their numbers, to `out`, whose order is one of time: those from `since` on and before `until`. */
void st_by_time(st_call *call, const st_postgres_parts *parts, const st_ids *rows, const st_filter *filter, st_rank *out);

/* The parts in the order of time; how many rows of a list are in one of them. */
const st_postgres_part **st_by_time_parts(st_call *call, const st_postgres_parts *parts, st_order order);
size_t st_by_time_rows(const st_postgres_part *part, const st_ids *rows);

#endif
