/* asked.c - see asked.h. */
#include "recall/asked.h"

#include <string.h>

#include "engine/feature.h"
#include "engine/handle.h"
#include "engine/retry.h"
#include "engine/state.h"
#include "search/sources.h"


const st_value *st_wanted_list(const st_call *call, int param) {
  return call->args[param].type == ST_LIST ? &call->args[param] : NULL;
}

st_wanted st_wanted_of(const st_call *call, int stores) {
  st_wanted wanted = ST_WANTED_ALL;
  const st_value **const lists[ST_WANTED_LISTS] = {&wanted.stores, &wanted.kinds, &wanted.projects, &wanted.sessions, &wanted.roles};
  for (int i = 0; i < ST_WANTED_LISTS; i++) *lists[i] = st_wanted_list(call, stores + i);
  return wanted;
}

static bool names(const st_value *list, const char *text) {
  for (uint32_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i].bytes, text) == 0) return true;
  return false;
}

/* ---- What is wanted ---- */

static bool is_kind(const char *kind) {
  for (uint16_t i = 0; i < st_registry.nstores; i++)
    if (st_source_find(&st_registry.stores[i], kind)) return true;
  return false;
}

static void check(st_call *call, const st_wanted *wanted) {
  for (uint32_t i = 0; wanted->stores && i < wanted->stores->count; i++) {
    const st_store *store = st_store_find(wanted->stores->items[i].bytes, NULL);
    if (!store) st_fail(call, STELE_NOTFOUND, "stores", "there is no store %.100s", wanted->stores->items[i].bytes);
  }
  for (uint32_t i = 0; wanted->kinds && i < wanted->kinds->count; i++)
    if (!is_kind(wanted->kinds->items[i].bytes)) {
      st_fail(call, STELE_INVALID, "kinds", "kinds names %.100s, which is none", wanted->kinds->items[i].bytes);
      st_hint(call, "recall.sources lists them");
    }
}

/* The kinds of a store that may be found. */
static st_value kinds_of(st_call *call, const st_store *store, const st_wanted *wanted) {
  st_value *items = st_call_alloc(call, (store->nsources + 1u) * sizeof *items);
  st_value list = {.type = ST_LIST, .items = items, .width = 1};
  if (wanted->stores && !names(wanted->stores, store->name)) return list;
  for (uint16_t i = 0; items && i < store->nsources; i++) {
    const st_findable *source = &store->sources[i];
    if (wanted->kinds && !names(wanted->kinds, source->kind)) continue;
    if (source->mark && !wanted->sessions) continue;
    items[list.count++] = st_textz(source->kind);
  }
  return list;
}

/* ---- Opening ---- */

/* Is it there?  Looking makes nothing; connecting would. */
static bool is_there(st_call *call, const st_opened *opened, bool named) {
  st_state state;
  if (opened->settled) return true;
  if (!opened->location) return false;
  st_state_look(opened, &state);
  if (state.status == STELE_NOMEM) st_fail(call, STELE_NOMEM, NULL, "out of memory"); /* opening would make one that is not there */
  if (!st_ok(call)) return false;
  if (state.status != STELE_NOTFOUND && !(state.status == STELE_OK && state.look.fresh)) return true;
  if (named) st_note(call, "there is nothing in the store %s yet", opened->store->name);
  return false;
}

static bool ends_call(stele_status status) { return status == STELE_NOMEM || status == STELE_CANCELLED; }

static void pass_over(st_asked_stores *asked, st_asked_store *store, const char *name) {
  store->failed = true;
  asked->problem = store->error;
  if (ends_call(store->error.status)) *asked->call->error = store->error;
  else st_note(asked->call, "the store %s was passed over: %s", name, store->error.message);
}

static void open_store(st_asked_stores *asked, int index, const st_wanted *wanted, st_value kinds) {
  st_call *call = asked->call;
  st_opened *opened = &call->db->stores[index];
  st_asked_store *store = &asked->stores[asked->count];
  *store = (st_asked_store){.part = *call, .kinds = kinds};
  store->part.error = &store->error;
  store->part.first = store->part.last = NULL;
  store->part.text = NULL;
  store->filter = (st_document_filter){.kinds = &store->kinds, .roles = wanted->roles, .sessions = wanted->sessions,
                                       .projects = wanted->projects, .since = wanted->since, .until = wanted->until};
  if (call->db->tx == opened) {
    st_fail(call, STELE_MISUSE, NULL, "cannot run inside a transaction");
    return;
  }
  if (!is_there(call, opened, wanted->stores != NULL)) return;
  if (st_handle_store(call->db, index, &store->error, &store->part.store)) st_features_ensure(&store->part);
  if (st_ok(&store->part)) asked->count++;
  else pass_over(asked, store, opened->store->name);
}

void st_asked_open(st_call *call, const st_wanted *wanted, st_asked_stores *out) {
  *out = (st_asked_stores){.call = call};
  out->stores = st_call_alloc(call, (st_registry.nstores + 1u) * sizeof *out->stores);
  check(call, wanted);
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) {
    const st_store *store = &st_registry.stores[i];
    bool also = wanted->also && strcmp(wanted->also, store->name) == 0;
    st_value kinds = kinds_of(call, store, wanted);
    if (kinds.count > 0 || also) open_store(out, i, wanted, kinds);
  }
}

int st_asked_find_store(const st_asked_stores *asked, const char *name) {
  for (int i = 0; i < asked->count; i++)
    if (strcmp(asked->stores[i].part.store->store->name, name) == 0) return i;
  return -1;
}

/* ---- Asking ---- */

bool st_asked_run(st_asked_stores *asked, int number, st_asked_fn *fn, void *with) {
  st_asked_store *store = &asked->stores[number];
  if (!st_ok(asked->call) || store->failed) return false;
  st_retry retry = st_retry_begin(asked->call->db);
  store->error = (st_error){.status = STELE_OK};
  store->part.again = false;
  do fn(store, with);
  while (st_retry_call(&retry, &store->part));
  if (!st_ok(&store->part)) pass_over(asked, store, store->part.store->store->name);
  return !store->failed;
}
