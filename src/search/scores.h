/* scores.h - ranking the rows of a set by all terms that they have, on PostgreSQL. */
#ifndef ST_SEARCH_SCORES_H
#define ST_SEARCH_SCORES_H

#include "search/rank.h"
#include "search/rowset.h"
#include "search/terms.h"

/* Offer all rows of the set, by their numbers, in the order of these: of equal ones the first is the better. */
void st_scores_rank(st_call *call, st_arena *arena, const st_query *query, const st_terms *terms, const st_rowset *set, st_rank *rank);

/* Is the query a single term, or several that are all wanted?  Its rows need not be a set: likewise all of them. */
bool st_scores_suit(const st_query *query);
void st_scores_rank_terms(st_call *call, st_arena *arena, const st_query *query, const st_terms *terms, st_rank *rank);

#endif
