/* facets.c - conversation.search_facets: the newest matches, counted by what they are. */
#include <math.h>

#include "registry_ids.h"
#include "stores/conversation/asked.h"
#include "stores/conversation/conversation.h"

static st_value ids_of(st_call *call, const st_found *found) {
  st_value *ids = st_call_alloc(call, ((size_t)found->count + 1) * sizeof *ids);
  for (int i = 0; ids && i < found->count; i++) ids[i] = st_int(found->hits[i].id);
  return (st_value){.type = ST_LIST, .items = ids, .count = (uint32_t)found->count, .width = 1};
}

static void add_counts(st_call *call, const st_value *args) {
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_COUNT_FACETS, args);
  while (st_rows_next(call, &rows)) st_reply_read(call, &rows, ST_ALL_COLUMNS);
  st_rows_end(call, &rows);
}

void st_conversation_search_facets(st_call *call) {
  const st_value *sent = call->args;
  st_value args[ST_P_CONVERSATION_COUNT_FACETS_NOW + 1] = {0};
  st_filter filter = {.since = -INFINITY, .until = INFINITY};
  st_query *query = st_asked_read(call, &sent[ST_P_CONVERSATION_SEARCH_FACETS_QUERY]);
  st_found found = {0};
  if (!query) return;
  query->quick = st_arg_int(call, ST_P_CONVERSATION_SEARCH_FACETS_QUICK) != 0;
  st_asked_find(call, query, st_arg_text(call, ST_P_CONVERSATION_SEARCH_FACETS_MATCH), &filter, ST_ORDER_NEWEST,
                (int)st_arg_int(call, ST_P_CONVERSATION_SEARCH_FACETS_MOST), &found);
  args[ST_P_CONVERSATION_COUNT_FACETS_IDS] = ids_of(call, &found);
  args[ST_P_CONVERSATION_COUNT_FACETS_SOURCE_FILTER] = sent[ST_P_CONVERSATION_SEARCH_FACETS_SOURCE_FILTER];
  args[ST_P_CONVERSATION_COUNT_FACETS_ROLE_FILTER] = sent[ST_P_CONVERSATION_SEARCH_FACETS_ROLE_FILTER];
  args[ST_P_CONVERSATION_COUNT_FACETS_PROJECT_FILTER] = sent[ST_P_CONVERSATION_SEARCH_FACETS_PROJECT_FILTER];
  args[ST_P_CONVERSATION_COUNT_FACETS_SINCE] = sent[ST_P_CONVERSATION_SEARCH_FACETS_SINCE];
  args[ST_P_CONVERSATION_COUNT_FACETS_NOW] = sent[ST_P_CONVERSATION_SEARCH_FACETS_NOW];
  if (st_ok(call)) add_counts(call, args);
}
