/* search.c - every search_* method: rows that hold a text in one of their columns, whatever the case. */
#include "registry_ids.h"
#include "search/scan.h"
#include "stores/assistant/assistant.h"

#define COLUMNS_MAX 2

/* The parameters of all of them.  The methods that yield the rows have one: the pattern. */
enum { QUERY, LIMIT, OFFSET };

static const struct table {
  int search, scan; /* which method, and which one yields its rows */
  size_t ncolumns;
  size_t columns[COLUMNS_MAX]; /* results to look at */
} TABLES[] = {
    {STELE_M_ASSISTANT_SEARCH_INTERACTIONS,
     STELE_M_ASSISTANT_SCAN_INTERACTIONS,
     2,
     {ST_R_ASSISTANT_SCAN_INTERACTIONS_USER_MESSAGE, ST_R_ASSISTANT_SCAN_INTERACTIONS_AGENT_RESPONSE}},
    {STELE_M_ASSISTANT_SEARCH_NOTES,
     STELE_M_ASSISTANT_SCAN_NOTES,
     2,
     {ST_R_ASSISTANT_SCAN_NOTES_TITLE, ST_R_ASSISTANT_SCAN_NOTES_CONTENT}},
    {STELE_M_ASSISTANT_SEARCH_TASKS, STELE_M_ASSISTANT_SCAN_TASKS, 1, {ST_R_ASSISTANT_SCAN_TASKS_TITLE}},
    {STELE_M_ASSISTANT_SEARCH_USER_FACTS,
     STELE_M_ASSISTANT_SCAN_USER_FACTS,
     2,
     {ST_R_ASSISTANT_SCAN_USER_FACTS_KEY, ST_R_ASSISTANT_SCAN_USER_FACTS_VALUE}},
};

static const struct table *table_of(const st_call *call) {
  const struct table *table = TABLES;
  while (&st_registry.methods[table->search] != call->method) table++;
  return table;
}

void st_assistant_search(st_call *call) {
  const struct table *table = table_of(call);
  st_value pattern;
  st_scan scan = {.method = table->scan,
                  .args = &pattern,
                  .columns = table->columns,
                  .ncolumns = table->ncolumns,
                  .query = &call->args[QUERY],
                  .limit = st_arg_int(call, LIMIT),
                  .offset = st_arg_int(call, OFFSET)};
  st_scan_reply(call, &scan);
}
