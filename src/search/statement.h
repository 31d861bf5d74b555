/* statement.h - arguments that the statements of searches on PostgreSQL have in common. */
#ifndef ST_SEARCH_STATEMENT_H
#define ST_SEARCH_STATEMENT_H

#include "search/documents.h"

/* A query as two tsqueries, in the call's memory: `query`, and `loose`, which finds at least as much. */
enum { ST_STATEMENT_QUERIES = 2 };
void st_statement_queries(st_call *call, const st_query *query, st_value out[ST_STATEMENT_QUERIES]);

/* A filter: kinds, roles, sessions, projects, since, until; what it does not ask for is absent. */
enum { ST_STATEMENT_FILTER = 6 };
void st_statement_filter(const st_document_filter *filter, st_value out[ST_STATEMENT_FILTER]);

/* One bound of time; infinite: absent. */
st_value st_statement_time(double time);

#endif
