/* statement.c - see statement.h. */
#include "search/statement.h"

#include <math.h>

#define LITERAL_MAX (4u << 20)

static st_value write_query(st_call *call, const st_query *query, void (*write)(const st_query *query, st_str *out)) {
  st_str text;
  st_str_init(&text, LITERAL_MAX);
  write(query, &text);
  return st_take(call, &text);
}

void st_statement_queries(st_call *call, const st_query *query, st_value out[ST_STATEMENT_QUERIES]) {
  out[0] = write_query(call, query, st_query_tsquery);
  out[1] = write_query(call, query, st_query_tsquery_loose);
}

st_value st_statement_time(double time) { return isinf(time) ? (st_value){.type = ST_ABSENT} : st_real(time); }

void st_statement_filter(const st_document_filter *filter, st_value out[ST_STATEMENT_FILTER]) {
  const st_value *const lists[] = {filter->kinds, filter->roles, filter->sessions, filter->projects};
  enum { LISTS = sizeof lists / sizeof *lists };
  for (int i = 0; i < LISTS; i++) out[i] = lists[i] ? *lists[i] : (st_value){.type = ST_ABSENT};
  out[LISTS] = st_statement_time(filter->since);
  out[LISTS + 1] = st_statement_time(filter->until);
}
