/* index.c - recall.index, recall.index_status: the search indexes of all stores. */
#include "engine/feature.h"
#include "recall/asked.h"
#include "recall/embedding.h"
#include "recall/recall.h"
#include "registry_ids.h"
#include "search/index_state.h"
#include "search/meaning.h"

/* The stores that the parameter names, or all that are there. */
static void open_stores(st_call *call, int param, st_asked_stores *out) {
  st_wanted wanted = ST_WANTED_ALL;
  wanted.stores = st_wanted_list(call, param);
  st_asked_open(call, &wanted, out);
}

#define SECONDS 60 /* of embedding by an endpoint at its rate; what is left waits for the next call */

typedef struct indexing {
  bool rebuild;
  int64_t indexed;
  st_embed_work *work; /* NULL: an embedder is configured, but cannot be asked */
  st_embed_counts embedded;
  int64_t taken; /* embeddings that the file had */
} indexing;

/* Once the store has embeddings, the indexer notes what is to get one. */
static void index_store(st_asked_store *store, void *with) {
  indexing *i = with;
  st_call *part = &store->part;
  bool writes = !part->store->target.readonly, embeds = writes && i->work && i->work->embedder;
  bool takes = writes && st_meaning_own(part, "file_vectors");
  int64_t coded;
  if (embeds) st_feature_need(part, st_shared_feature(part, ST_TF_EMBEDDINGS));
  st_documents_index(part, i->rebuild, &i->indexed);
  if (takes && st_ok(part)) i->taken = st_embed_take(part);
  if ((embeds || (takes && i->work)) && st_ok(part)) st_embed_due(part, i->work, &i->embedded);
  if (st_ok(part) && i->embedded.done + i->taken > 0) st_meaning_index(part, &coded);
}

/* False: there is an embedder, but it does not answer. */
static bool begin_embedding(st_call *call, st_embed_work *work) {
  const char *why;
  bool embeds = st_embed_begin(call, work, &why);
  if (embeds && work->rate > 0) work->limit = (int64_t)(work->rate * SECONDS);
  if (!embeds && work->embedder) st_note(call, "nothing was embedded: %s", why);
  return embeds || !work->embedder;
}

static void tell(st_call *call, const char *store, const indexing *i) {
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_RECALL_INDEX_STORE] = st_textz(store);
  row[ST_R_RECALL_INDEX_INDEXED] = st_int(i->indexed);
  row[ST_R_RECALL_INDEX_EMBEDDED] = st_int(i->embedded.done + i->taken);
  if (i->embedded.failed)
    st_note(call, "%s: %lld could not be embedded, and will be tried again: %s", store, (long long)i->embedded.failed, i->embedded.problem);
}

void st_recall_index(st_call *call) {
  st_embed_work work;
  st_asked_stores asked;
  bool named = st_wanted_list(call, ST_P_RECALL_INDEX_STORES) != NULL, usable = begin_embedding(call, &work);
  open_stores(call, ST_P_RECALL_INDEX_STORES, &asked);
  for (int at = 0; at < asked.count && st_ok(call); at++) {
    indexing i = {.rebuild = st_arg_int(call, ST_P_RECALL_INDEX_REBUILD) != 0, .work = usable ? &work : NULL};
    if (st_asked_run(&asked, at, index_store, &i))
      tell(call, asked.stores[at].part.store->store->name, &i);
    else if (named && st_ok(call))
      *call->error = asked.stores[at].error; /* of others it is noted */
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
