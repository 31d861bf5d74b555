/* find.h - the best messages for a query: from the index, and from what is not indexed yet. */
#ifndef ST_FIND_H
#define ST_FIND_H

#include "engine/call.h"
#include "search/query.h"
#include "search/rank.h"

/* Which messages may be found. */
typedef struct st_filter {
  const st_value *roles;    /* ST_LIST of texts, or NULL: all */
  const st_value *kinds, *projects; /* likewise, where there are several */
  const char *const *sessions; /* the allowed ones, or NULL: all */
  size_t nsessions;
  double since, until; /* time >= since, time < until */
} st_filter;

typedef struct st_found {
  st_hit *hits; /* best first, in the call's memory */
  int count;
  int64_t matches;
} st_found;

/* Find up to k messages.  The index is brought up to date first if many messages are missing in it. */
void st_find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k, st_found *found);

#endif
