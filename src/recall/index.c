/* index.c - recall.index, recall.index_status: the search indexes of all stores. */
#include "recall/asked.h"
#include "recall/recall.h"
#include "registry_ids.h"
#include "search/index_state.h"

/* The stores that the parameter names, or all that are there. */
static void open_stores(st_call *call, int param, st_asked_stores *out) {
  st_wanted wanted = ST_WANTED_ALL;
  wanted.stores = st_wanted_list(call, param);
  st_asked_open(call, &wanted, out);
}

typedef struct indexing {
  bool rebuild;
  int64_t indexed;
} indexing;

static void index_store(st_asked_store *store, void *with) {
  indexing *i = with;
  st_documents_index(&store->part, i->rebuild, &i->indexed);
}

void st_recall_index(st_call *call) {
  indexing i = {.rebuild = st_arg_int(call, ST_P_RECALL_INDEX_REBUILD) != 0};
  st_asked_stores asked;
  bool named = st_wanted_list(call, ST_P_RECALL_INDEX_STORES) != NULL;
  open_stores(call, ST_P_RECALL_INDEX_STORES, &asked);
  for (int at = 0; at < asked.count && st_ok(call); at++) {
    if (!st_asked_run(&asked, at, index_store, &i)) {
      if (named && st_ok(call)) *call->error = asked.stores[at].error; /* of others it is noted */
      continue;
    }
    st_value *row = st_reply(call);
    if (!row) return;
    row[ST_R_RECALL_INDEX_STORE] = st_textz(asked.stores[at].part.store->store->name);
    row[ST_R_RECALL_INDEX_INDEXED] = st_int(i.indexed);
  }
}

static void look(st_asked_store *store, void *with) { st_index_look(&store->part, with); }

void st_recall_index_status(st_call *call) {
  st_index_state state;
  st_asked_stores asked;
  open_stores(call, ST_P_RECALL_INDEX_STATUS_STORES, &asked);
  for (int at = 0; at < asked.count && st_ok(call); at++) {
    if (!st_asked_run(&asked, at, look, &state)) continue;
    st_value *row = st_reply(call);
    if (!row) return;
    row[ST_R_RECALL_INDEX_STATUS_STORE] = st_textz(asked.stores[at].part.store->store->name);
    row[ST_R_RECALL_INDEX_STATUS_FORM] = st_textz(state.form);
    row[ST_R_RECALL_INDEX_STATUS_MADE] = st_bool(state.made);
    if (state.bytes >= 0) row[ST_R_RECALL_INDEX_STATUS_BYTES] = st_int(state.bytes);
    row[ST_R_RECALL_INDEX_STATUS_MISSING] = st_int(state.missing);
    row[ST_R_RECALL_INDEX_STATUS_PROBLEM] = st_textz(state.problem);
  }
}
