/* terms.h - where the terms of a query occur, as the index on PostgreSQL knows it (postings.sql). */
#ifndef ST_SEARCH_TERMS_H
#define ST_SEARCH_TERMS_H

#include "engine/call.h"
#include "search/beside.h"
#include "search/join.h"
#include "search/occurrences.h"
#include "search/query.h"

typedef struct st_terms {
  st_occurrences of[ST_QUERY_TERMS_MAX]; /* by number of the term */
  double rows[ST_QUERY_TERMS_MAX];       /* that have it */
} st_terms;

/* Read those of all terms of a query, into the arena: of the part of the index with that first number, and of later ones. */
void st_terms_read(st_call *call, st_arena *arena, const st_query *query, int64_t part, st_terms *out);

/* The words of a phrase that would have to be read (beside.h), without their places: room for as many as it has tokens.  How many;
** how many bytes would have to be read. */
size_t st_terms_words(st_call *call, st_arena *arena, const st_term *term, st_join_word *out, double *room);

/* The same of words of the caller's; how many of them there are. */
size_t st_terms_list(st_call *call, st_arena *arena, const st_value *words, size_t count, int64_t part, st_occurrences *out);

/* The words of the index that have a code. */
void st_terms_common(st_call *call, st_arena *arena, st_common *out);

#endif
