/* holds.c - legal holds: stele.hold, stele.release_hold and stele.list_holds.
**
** A store keeps its own, in the table of the feature holds, whose triggers let nothing be deleted that is under one. */
#include "engine/holds.h"

#include <stdio.h>
#include <string.h>

#include "engine/feature.h"
#include "engine/handle.h"
#include "engine/round.h"
#include "engine/system.h"
#include "registry_ids.h"

/* ---- What is told of a hold ---- */

static st_value seconds(const st_call *part, const st_value *time) {
  return time->type == ST_NULL ? *time : st_real(st_seconds(part, time));
}

/* The store's own columns follow its name in the same order. */
static void tell(st_call *call, const st_call *part, const st_value *hold) {
  static const int times[] = {ST_R_STELE_HOLD_SINCE, ST_R_STELE_HOLD_UNTIL, ST_R_STELE_HOLD_PLACED_AT, ST_R_STELE_HOLD_RELEASED_AT};
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_STELE_HOLD_STORE] = st_textz(part->store->store->name);
  memcpy(&row[ST_R_STELE_HOLD_ID], hold, (ST_R_SHARED_HOLD_LIST_RELEASE_NOTE + 1) * sizeof *row);
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) row[times[i]] = seconds(part, &row[times[i]]);
}
_Static_assert((int)ST_R_STELE_HOLD_RELEASE_NOTE == (int)ST_R_SHARED_HOLD_LIST_RELEASE_NOTE + 1, "the same columns, after the store");
_Static_assert((int)ST_R_STELE_HOLD_SINCE == (int)ST_R_SHARED_HOLD_LIST_SINCE + 1, "the same columns, after the store");

/* id: null for all. */
static void list(st_call *call, st_call *store, st_value id, bool released) {
  st_value args[ST_P_SHARED_HOLD_LIST_RELEASED + 1], hold[ST_R_SHARED_HOLD_LIST_RELEASE_NOTE + 1];
  st_rows rows;
  args[ST_P_SHARED_HOLD_LIST_ID] = id.type == ST_INT ? id : (st_value){.type = ST_ABSENT};
  args[ST_P_SHARED_HOLD_LIST_RELEASED] = st_bool(released);
  st_rows_start(store, &rows, st_shared(store, ST_T_HOLD_LIST), args);
  while (st_rows_next(store, &rows)) {
    st_rows_keep(store, &rows, hold);
    tell(call, store, hold);
  }
  st_rows_end(store, &rows);
}

/* ---- Placing and lifting ---- */

/* Connect a store that is there and has, or had, holds: nothing is made where there are none. */
static bool has_holds(st_call *call, int index, st_call *store) {
  if (!st_registry.stores[index].held || !st_round_is_there(call, &call->db->stores[index])) return false;
  return st_round_enter(store, call, index, call->error) && st_feature_look(store, st_shared_feature(store, ST_TF_HOLDS));
}

static void not_in_force(st_call *call, const st_store *store, st_value id) {
  st_fail(call, STELE_NOTFOUND, "id", "no hold %lld is in force in %s", (long long)id.integer, store->name);
}

typedef struct change {
  st_call *call;
  int method; /* ST_T_HOLD_PLACE or ST_T_HOLD_RELEASE */
  st_value id;
} change;

/* In the store's transaction, which may have to be made again.  So is what is told of it, before the commit: what cannot be answered
** must not be done. */
static bool make_change(st_call *store, void *user) {
  change *c = user;
  st_call part = *store;
  c->call->first = c->call->last = NULL;
  part.method = &st_registry.methods[st_shared(store, c->method)];
  if (!st_round_pass(&part, c->call)) return false;
  if (c->method == ST_T_HOLD_PLACE) {
    st_one(&part, part.method->id, part.args, &c->id);
  } else if (st_run(&part, part.method->id, part.args) == 0) {
    not_in_force(c->call, store->store->store, c->id);
  }
  store->again = part.again;
  if (st_ok(store)) list(c->call, store, c->id, true);
  return st_ok(store);
}

static void change_hold(st_call *call, int index, change *c) {
  st_call store;
  if (!st_round_enter(&store, call, index, call->error)) return;
  st_call part = store;
  part.method = &st_registry.methods[st_shared(&store, c->method)];
  st_features_ensure(&part);
  st_call_transaction(&store, true, make_change, c);
}

/* One that could hold nothing would be taken for one that holds. */
static void check(st_call *call) {
  int index = st_wanted_store(call, ST_P_STELE_HOLD_STORE);
  const char *kind = st_arg_text(call, ST_P_STELE_HOLD_KIND);
  const char *reason = st_arg_text(call, ST_P_STELE_HOLD_REASON);
  if (!st_ok(call)) return;
  const char *const *held = st_registry.stores[index].held;
  while (kind && held && *held && strcmp(*held, kind) != 0) held++;
  if (kind && (!held || !*held)) {
    st_fail(call, STELE_NOTFOUND, "kind", "%s has no rows of the kind %.100s", st_registry.stores[index].name, kind);
    return;
  }
  if (!reason[0]) st_fail(call, STELE_INVALID, "reason", "reason is empty");
  if (st_has(call, ST_P_STELE_HOLD_SINCE) && st_has(call, ST_P_STELE_HOLD_UNTIL) &&
      st_arg_real(call, ST_P_STELE_HOLD_SINCE) >= st_arg_real(call, ST_P_STELE_HOLD_UNTIL))
    st_fail(call, STELE_INVALID, "until", "until is not after since");
}

void st_stele_hold(st_call *call) {
  change placing = {call, ST_T_HOLD_PLACE, {.type = ST_NULL}};
  check(call);
  if (st_ok(call)) change_hold(call, st_wanted_store(call, ST_P_STELE_HOLD_STORE), &placing);
}

void st_stele_release_hold(st_call *call) {
  change lifting = {call, ST_T_HOLD_RELEASE, call->args[ST_P_STELE_RELEASE_HOLD_ID]};
  int index = st_wanted_store(call, ST_P_STELE_RELEASE_HOLD_STORE);
  st_call store;
  if (!st_ok(call)) return;
  if (has_holds(call, index, &store))
    change_hold(call, index, &lifting);
  else
    not_in_force(call, &st_registry.stores[index], lifting.id);
}

void st_stele_list_holds(st_call *call) {
  int wanted = st_wanted_store(call, ST_P_STELE_LIST_HOLDS_STORE);
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) {
    st_call store;
    if ((wanted >= 0 && wanted != i) || !has_holds(call, i, &store)) continue;
    list(call, &store, (st_value){.type = ST_NULL}, st_arg_int(call, ST_P_STELE_LIST_HOLDS_RELEASED) != 0);
  }
}

/* ---- What refused a deletion ---- */

#define NAMED_MAX 3

static void add_hold(char *out, size_t size, const st_value *hold) {
  const st_value *reason = &hold[ST_R_SHARED_HOLD_LIST_REASON];
  size_t used = strlen(out);
  snprintf(out + used, size - used, "%s%lld (%.*s)", used ? ", " : "", (long long)hold[ST_R_SHARED_HOLD_LIST_ID].integer,
           reason->length < 50 ? (int)reason->length : 50, reason->bytes);
}

void st_holds_name(st_call *call) {
  st_error error = {0};
  st_call part = *call;
  st_value args[ST_P_SHARED_HOLD_LIST_RELEASED + 1], hold[ST_R_SHARED_HOLD_LIST_RELEASE_NOTE + 1];
  st_rows rows;
  char named[200] = "";
  int count = 0;
  part.error = &error; /* what fails here leaves the call's own failure as it is */
  part.again = false;
  args[ST_P_SHARED_HOLD_LIST_ID] = (st_value){.type = ST_ABSENT};
  args[ST_P_SHARED_HOLD_LIST_RELEASED] = st_bool(false);
  st_rows_start(&part, &rows, st_shared(&part, ST_T_HOLD_LIST), args);
  while (st_rows_next(&part, &rows)) {
    st_rows_keep(&part, &rows, hold);
    if (st_ok(&part) && ++count <= NAMED_MAX) add_hold(named, sizeof named, hold);
  }
  st_rows_end(&part, &rows);
  if (!st_ok(&part) || count == 0) return;
  st_hint(call, "in force: hold %s%s; `stele hold release %s ID` lifts one", named, count > NAMED_MAX ? ", and others (`stele hold`)" : "",
          call->store->store->name);
}
