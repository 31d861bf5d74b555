/* backfill.c - recall.embed_backfill: every row gets its embedding, in all stores. */
#include <string.h>

#include "recall/asked.h"
#include "recall/embedding.h"
#include "recall/recall.h"
#include "registry_ids.h"
#include "search/meaning.h"
#include "search/sources.h"

static bool begin(st_call *call, st_embed_work *work) {
  const char *why;
  if (!st_embed_begin(call, work, &why)) {
    st_fail(call, work->embedder ? STELE_UNAVAILABLE : STELE_UNSUPPORTED, NULL, "%s", why ? why : "out of memory");
    return false;
  }
  if (st_has(call, ST_P_RECALL_EMBED_BACKFILL_RATE)) work->rate = st_arg_real(call, ST_P_RECALL_EMBED_BACKFILL_RATE);
  if (st_has(call, ST_P_RECALL_EMBED_BACKFILL_LIMIT)) work->limit = st_arg_int(call, ST_P_RECALL_EMBED_BACKFILL_LIMIT);
  work->dry = st_arg_int(call, ST_P_RECALL_EMBED_BACKFILL_DRY_RUN) != 0;
  return true;
}

static void clear(st_asked_store *store, void *with) {
  const st_embed_work *work = with;
  st_call_begin(&store->part, true);
  st_meaning_clear(&store->part, work->dimension);
  st_call_end(&store->part);
}

static void take(st_asked_store *store, void *with) {
  int64_t *taken = with;
  *taken = st_embed_take(&store->part);
}

typedef struct kind_work {
  st_embed_work *work;
  const st_findable *source;
  st_embed_counts counts;
} kind_work;

static void embed(st_asked_store *store, void *with) {
  kind_work *k = with;
  st_embed_source(&store->part, k->source, k->work, &k->counts);
}

static void code(st_asked_store *store, void *with) {
  (void)with;
  int64_t coded;
  st_meaning_index(&store->part, &coded);
}

static void tell(st_call *call, const char *store, const kind_work *k) {
  st_value *out = st_reply(call);
  const char *problem = k->counts.problem[0] ? k->counts.problem : k->work->stopped;
  if (!out) return;
  out[ST_R_RECALL_EMBED_BACKFILL_STORE] = st_textz(store);
  out[ST_R_RECALL_EMBED_BACKFILL_KIND] = st_textz(k->source->kind);
  out[ST_R_RECALL_EMBED_BACKFILL_DONE] = st_int(k->counts.done);
  out[ST_R_RECALL_EMBED_BACKFILL_FAILED] = st_int(k->counts.failed);
  out[ST_R_RECALL_EMBED_BACKFILL_EMPTY] = st_int(k->counts.empty);
  out[ST_R_RECALL_EMBED_BACKFILL_REMAINING] = st_int(k->counts.remaining);
  if (problem[0] && (k->counts.failed || k->counts.remaining))
    out[ST_R_RECALL_EMBED_BACKFILL_PROBLEM] = st_call_text(call, problem, strlen(problem));
}

static void embed_store(st_asked_stores *asked, int number, st_embed_work *work) {
  st_asked_store *store = &asked->stores[number];
  const st_store *of = store->part.store->store;
  int64_t before = work->done, taken = 0;
  if (st_arg_int(asked->call, ST_P_RECALL_EMBED_BACKFILL_CLEAR) && !work->dry && !st_asked_run(asked, number, clear, work)) return;
  if (!work->dry && !st_asked_run(asked, number, take, &taken)) return;
  for (uint32_t i = 0; i < store->kinds.count && st_ok(asked->call); i++) {
    kind_work k = {.work = work, .source = st_source_find(of, store->kinds.items[i].bytes)};
    if (!st_asked_run(asked, number, embed, &k)) return;
    tell(asked->call, of->name, &k);
  }
  if (work->done + taken > before) st_asked_run(asked, number, code, NULL);
}

void st_recall_embed_backfill(st_call *call) {
  st_wanted wanted = ST_WANTED_ALL;
  st_value nobody = {.type = ST_LIST, .count = 0, .width = 1};
  st_asked_stores asked;
  st_embed_work work;
  wanted.stores = st_wanted_list(call, ST_P_RECALL_EMBED_BACKFILL_STORES);
  wanted.kinds = st_wanted_list(call, ST_P_RECALL_EMBED_BACKFILL_KINDS);
  wanted.sessions = &nobody; /* what only its own session may see is embedded too */
  if (!begin(call, &work)) return;
  st_asked_open(call, &wanted, &asked);
  for (int i = 0; i < asked.count && st_ok(call); i++) embed_store(&asked, i, &work);
}
