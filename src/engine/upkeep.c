/* upkeep.c - stele.upkeep: the chores of every store.  sql/stele/upkeep.sql says what a chore is. */
#include <stdio.h>
#include <string.h>

#include "engine/dispatch.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "engine/round.h"
#include "engine/system.h"
#include "registry_ids.h"

#define PREFIX "upkeep_"

/* Chores have these results, in this order; the registry's generator checks it. */
enum { WHAT, CHANGE, WHY };

/* ---- Which chores ---- */

static bool is_chore(const st_method *method) {
  const char *name = strchr(method->public.name, '.') + 1;
  return method->store >= 0 && strncmp(name, PREFIX, strlen(PREFIX)) == 0;
}

/* "planner.decay" of planner.upkeep_decay; NULL: no memory. */
static const char *name_of(st_call *call, const st_method *method) {
  char name[200];
  const char *dot = strchr(method->public.name, '.');
  int length = snprintf(name, sizeof name, "%.*s.%s", (int)(dot - method->public.name), method->public.name, dot + 1 + strlen(PREFIX));
  return st_call_copy(call, name, (size_t)length);
}

static bool is_wanted(const st_call *call, const char *chore) {
  const st_value *only = &call->args[ST_P_STELE_UPKEEP_ONLY];
  return (only->count == 0 || st_round_is_named(only, chore)) && !st_round_is_named(&call->args[ST_P_STELE_UPKEEP_WITHOUT], chore);
}

/* Whatever is named must be there: one that was misspelt would never be done, and nobody would know. */
static void check_names(st_call *call, int param) {
  const st_value *list = &call->args[param];
  for (uint32_t i = 0; i < list->count && st_ok(call); i++) {
    bool found = false;
    for (uint16_t m = 0; m < st_registry.nmethods && !found && st_ok(call); m++) {
      const char *chore = is_chore(&st_registry.methods[m]) ? name_of(call, &st_registry.methods[m]) : NULL;
      found = chore && st_round_names(list->items[i].bytes, chore);
    }
    if (!found)
      st_fail(call, STELE_NOTFOUND, call->method->public.params[param].name, "there is no chore %.100s", list->items[i].bytes);
  }
}

/* ---- A chore ---- */

/* What the caller said counts for every chore that asks for it; but a dry run is done, and taken back. */
static bool set_arguments(st_call *part, const st_call *call) {
  int dry = st_param_index(part->method, "dry_run");
  bool passed = st_round_pass(part, call);
  if (passed && dry >= 0) part->args[dry] = st_bool(false);
  return passed;
}

/* The rows of a part come after those there are, with the store and the chore before them. */
static void tell(st_call *call, const st_call *part, const char *chore) {
  for (const st_row *row = part->first; row; row = row->next) {
    st_value *out = st_reply(call);
    if (!out) return;
    out[ST_R_STELE_UPKEEP_STORE] = st_textz(part->store->store->name);
    out[ST_R_STELE_UPKEEP_CHORE] = st_textz(chore);
    out[ST_R_STELE_UPKEEP_WHAT] = row->values[WHAT];
    out[ST_R_STELE_UPKEEP_CHANGE] = row->values[CHANGE];
    out[ST_R_STELE_UPKEEP_WHY] = row->values[WHY];
  }
}

/* ---- A store ---- */

typedef struct chores {
  st_call *call;
  st_row *last; /* of the reply, before this store */
} chores;

/* In the store's transaction, which may have to be made again. */
static bool do_chores(st_call *store, void *user) {
  const chores *all = user;
  st_call *call = all->call;
  call->last = all->last;
  *(call->last ? &call->last->next : &call->first) = NULL;
  for (uint16_t i = 0; i < st_registry.nmethods && st_ok(store); i++) {
    st_call part = *store;
    part.method = &st_registry.methods[i];
    if (!is_chore(part.method) || &st_registry.stores[part.method->store] != store->store->store) continue;
    const char *chore = name_of(store, part.method);
    if (!chore || !is_wanted(call, chore)) continue;
    if (set_arguments(&part, call)) st_run_method(&part);
    store->again = part.again;
    if (st_ok(store)) tell(call, &part, chore);
  }
  return !st_arg_int(call, ST_P_STELE_UPKEEP_DRY_RUN);
}

/* What is outside the home is kept in order by the program that it belongs to. */
static void see_to(st_call *call, int index, st_error *error) {
  const st_opened *opened = &call->db->stores[index];
  chores all = {call, call->last};
  st_call store = *call;
  store.error = error;
  if (!opened->target.in_home && !st_arg_int(call, ST_P_STELE_UPKEEP_OUTSIDE)) return;
  if (!st_round_is_there(&store, opened)) return;
  if (st_round_enter(&store, call, index, error)) {
    st_features_ensure(&store);
    st_call_transaction(&store, true, do_chores, &all);
  }
  if (st_ok(&store)) return;
  call->last = all.last; /* nothing of this store was done */
  *(call->last ? &call->last->next : &call->first) = NULL;
}

static bool has_wanted(st_call *call, int index) {
  for (uint16_t i = 0; i < st_registry.nmethods && st_ok(call); i++) {
    const st_method *method = &st_registry.methods[i];
    const char *chore = method->store == index && is_chore(method) ? name_of(call, method) : NULL;
    if (chore && is_wanted(call, chore)) return true;
  }
  return false;
}

void st_stele_upkeep(st_call *call) {
  st_error first = {.status = STELE_OK};
  check_names(call, ST_P_STELE_UPKEEP_ONLY);
  check_names(call, ST_P_STELE_UPKEEP_WITHOUT);
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) {
    st_error error = {.status = STELE_OK};
    if (has_wanted(call, i)) see_to(call, i, &error);
    if (error.status != STELE_OK && first.status == STELE_OK) first = error;
  }
  if (st_ok(call) && first.status != STELE_OK) *call->error = first;
}
