/* find_index.h - what find.h and documents.h do where the index is a file beside the store. */
#ifndef ST_FIND_INDEX_H
#define ST_FIND_INDEX_H

#include "search/find.h"
#include "search/index.h"

/* The index, with as good as everything in it: what is not, its corpus reads by itself.  NULL: the call has failed. */
st_index *st_index_ready(st_call *call);

/* Find up to k documents, by their numbers in the index.  It is brought up to date first. */
void st_index_find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k, st_found *found);

/* Without a query: those within the filter, newest or oldest first. */
void st_index_list(st_call *call, const st_filter *filter, st_order order, int k, st_found *found);

#endif
