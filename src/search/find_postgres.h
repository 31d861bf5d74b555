/* find_postgres.h - what find.h does where the store is on PostgreSQL. */
#ifndef ST_FIND_POSTGRES_H
#define ST_FIND_POSTGRES_H

#include "search/find.h"

void st_postgres_find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k,
                      st_found *found);

#endif
