/* origin.c - see origin.h. */
#include "recall/origin.h"

#include <string.h>

#include "registry_ids.h"

static void add(st_call *call, st_value *list, uint32_t *room, const st_value *id) {
  st_value *items = (st_value *)list->items;
  if (list->count == *room) {
    *room = *room ? 2 * *room : 64;
    items = st_call_alloc(call, *room * sizeof *items);
    if (items && list->count) memcpy(items, list->items, list->count * sizeof *items);
    list->items = items;
  }
  if (items) items[list->count++] = st_call_text(call, id->bytes, id->length);
}

static bool is_among(const st_value *list, const st_value *text) {
  for (uint32_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i].bytes, text->bytes) == 0) return true;
  return false;
}

static void narrow(st_asked_store *store, void *with) {
  st_value args[ST_P_CONVERSATION_SEARCH_SCOPE_LINEAGE + 1], id;
  st_value *sessions = st_call_alloc(&store->part, sizeof *sessions);
  uint32_t room = 0;
  st_rows rows;
  if (!sessions) return;
  memset(args, 0, sizeof args);
  args[ST_P_CONVERSATION_SEARCH_SCOPE_SOURCE_FILTER] = *(const st_value *)with;
  *sessions = (st_value){.type = ST_LIST, .width = 1};
  st_rows_start(&store->part, &rows, STELE_M_CONVERSATION_SEARCH_SCOPE, args);
  while (st_rows_next(&store->part, &rows)) {
    st_rows_value(&store->part, &rows, ST_R_CONVERSATION_SEARCH_SCOPE_ID, &id);
    if (!store->filter.sessions || is_among(store->filter.sessions, &id)) add(&store->part, sessions, &room, &id);
  }
  st_rows_end(&store->part, &rows);
  store->filter.sessions = sessions;
}

void st_origin_narrow(st_asked_stores *asked, const st_value *sources) {
  st_value from = *sources;
  int conversation = st_asked_find_store(asked, "conversation");
  for (int i = 0; i < asked->count; i++) asked->stores[i].failed = asked->stores[i].failed || i != conversation;
  if (conversation >= 0) st_asked_run(asked, conversation, narrow, &from);
}
