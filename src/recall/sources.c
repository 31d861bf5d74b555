/* sources.c - recall.sources: what can be found. */
#include "recall/asked.h"
#include "recall/recall.h"
#include "registry_ids.h"

void st_recall_sources(st_call *call) {
  st_wanted wanted = ST_WANTED_ALL;
  st_asked_stores asked;
  wanted.stores = st_wanted_list(call, ST_P_RECALL_SOURCES_STORES);
  st_asked_open(call, &wanted, &asked);
  for (int i = 0; i < asked.count && st_ok(call); i++) {
    const st_store *store = asked.stores[i].part.store->store;
    for (uint16_t k = 0; k < store->nsources; k++) {
      st_value *out = st_reply(call);
      if (!out) return;
      out[ST_R_RECALL_SOURCES_STORE] = st_textz(store->name);
      out[ST_R_RECALL_SOURCES_KIND] = st_textz(store->sources[k].kind);
      out[ST_R_RECALL_SOURCES_DOC] = st_textz(store->sources[k].doc);
      out[ST_R_RECALL_SOURCES_MARK] = st_textz(store->sources[k].mark);
    }
  }
}
