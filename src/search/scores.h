/* scores.h - ranking the rows of a set by all terms that they have, on PostgreSQL. */
#ifndef ST_SEARCH_SCORES_H
#define ST_SEARCH_SCORES_H

#include "search/rank.h"
#include "search/rowset.h"
#include "search/terms.h"

/* Offer all rows of the set, by their numbers, in the order of these: of equal ones the first is the better. */
void st_scores_rank(st_call *call, st_arena *arena, const st_query *query, const st_terms *terms, const st_rowset *set, st_rank *rank);

/* Likewise all rows of a query that is a single term. */
void st_scores_rank_term(st_call *call, const st_occurrences *term, st_rank *rank);

#endif
