/* tail.h - messages that are not in the index yet: read one by one, where they are few.  On PostgreSQL, where there is no
** st_index, they are those whose changes are noted. */
#ifndef ST_TAIL_H
#define ST_TAIL_H

#include "search/find.h"
#include "search/index.h"
#include "search/reading.h"

#define ST_TAIL_MAX 256 /* above that they are indexed first */

/* Match them, and offer those that do. */
void st_tail_match(st_call *call, const st_index *index, const st_query *query, const st_filter *filter, st_rank *rank);

/* Offer all that the filter lets through. */
void st_tail_offer(st_call *call, const st_index *index, const st_filter *filter, st_rank *rank);

/* Add them to what is to be read. */
void st_tail_add(st_call *call, const st_index *index, const st_filter *filter, st_reading *r);

#endif
