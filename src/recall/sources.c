/* sources.c - recall.sources: what can be found. */
#include "recall/asked.h"
#include "recall/recall.h"
#include "registry_ids.h"
#include "search/index_state.h"
#include "search/meaning.h"
#include "search/sources.h"

/* What is told of a store: of its index, and of each of its sources. */
typedef struct counts {
  int64_t rows, embedded;
} counts;

typedef struct seen {
  st_index_state index;
  counts *counts; /* NULL: they are not counted */
} seen;

static void look(st_asked_store *store, void *with) {
  seen *s = with;
  st_call *part = &store->part;
  const st_store *of = part->store->store;
  st_index_look(part, &s->index);
  for (uint16_t k = 0; s->counts && k < of->nsources && st_ok(part); k++) {
    st_value rows = st_int(0);
    if (st_source_is_there(part, &of->sources[k])) st_one(part, of->sources[k].count_method, NULL, &rows);
    s->counts[k] = (counts){rows.integer, st_meaning_count(part, of->sources[k].kind)};
  }
}

static const char *state_of(const st_index_state *index) {
  if (index->problem) return "unreadable";
  return !index->made ? "missing" : index->missing ? "behind" : "made";
}

static void tell(st_call *call, const st_store *store, const seen *s) {
  for (uint16_t k = 0; k < store->nsources; k++) {
    const st_findable *source = &store->sources[k];
    st_value *out = st_reply(call);
    if (!out) return;
    out[ST_R_RECALL_SOURCES_STORE] = st_textz(store->name);
    out[ST_R_RECALL_SOURCES_KIND] = st_textz(source->kind);
    out[ST_R_RECALL_SOURCES_DOC] = st_textz(source->doc);
    out[ST_R_RECALL_SOURCES_MARK] = st_textz(source->mark);
    if (s->counts) {
      out[ST_R_RECALL_SOURCES_ROWS] = st_int(s->counts[k].rows);
      out[ST_R_RECALL_SOURCES_EMBEDDED] = st_int(s->counts[k].embedded);
    }
    out[ST_R_RECALL_SOURCES_INDEX] = st_textz(state_of(&s->index));
  }
}

void st_recall_sources(st_call *call) {
  bool counted = st_arg_int(call, ST_P_RECALL_SOURCES_COUNT) != 0;
  st_wanted wanted = ST_WANTED_ALL;
  st_asked_stores asked;
  wanted.stores = st_wanted_list(call, ST_P_RECALL_SOURCES_STORES);
  st_asked_open(call, &wanted, &asked);
  for (int i = 0; i < asked.count && st_ok(call); i++) {
    const st_store *store = asked.stores[i].part.store->store;
    seen s = {.counts = counted ? st_call_alloc(call, (store->nsources + 1u) * sizeof *s.counts) : NULL};
    if (st_ok(call) && st_asked_run(&asked, i, look, &s)) tell(call, store, &s);
  }
}
