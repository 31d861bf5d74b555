/* doctor.c - stele.doctor and stele.check: the order of the checkup, and the lines of the stores' own.  See doctor.h. */
#include "engine/doctor.h"

#include <stdio.h>
#include <string.h>

#include "engine/args.h"
#include "engine/check.h"
#include "engine/dispatch.h"
#include "engine/handle.h"
#include "engine/handshake.h"
#include "engine/system.h"
#include "registry_ids.h"

/* The lines of a part come after those there are.  Of its failures only those of the whole call count: lack of memory,
** and that it was stopped. */
static void append(st_call *call, const st_call *part) {
  if (part->first && call->last) call->last->next = part->first;
  if (part->first && !call->first) call->first = part->first;
  if (part->last) call->last = part->last;
  if (part->error->status == STELE_NOMEM || part->error->status == STELE_CANCELLED) *call->error = *part->error;
}

/* A part of the checkup, about a store or, with NULL, about what concerns all. */
static st_call part_of(const st_call *call, st_opened *store, st_error *error) {
  st_call part = *call;
  *error = (st_error){.status = STELE_OK};
  part.store = store;
  part.error = error;
  part.first = part.last = NULL;
  part.text = NULL;
  return part;
}

/* stele.check looks at what the stores hold, and at all of it; stele.doctor at everything around, too. */
static bool is_check(const st_call *call) { return call->method->id == STELE_M_STELE_CHECK; }

static bool is_full(const st_call *call) {
  return is_check(call) ? !st_arg_int(call, ST_P_STELE_CHECK_QUICK) : st_arg_int(call, ST_P_STELE_DOCTOR_FULL) != 0;
}

/* ---- Lines of the stores' own ---- */

/* A check has only those about what the store holds. */
static bool is_hook(const st_call *call, const st_method *method, int store) {
  const char *name = strchr(method->public.name, '.') + 1;
  if (method->store != store || method->id == STELE_M_STELE_DOCTOR) return false;
  if (is_check(call)) return strcmp(name, "doctor_rows") == 0;
  return strcmp(name, "doctor") == 0 || strncmp(name, "doctor_", strlen("doctor_")) == 0;
}

static bool set_arguments(st_call *part, const st_call *call) {
  const st_method *method = part->method;
  int full = st_param_index(method, "full");
  part->args = st_call_alloc(part, (method->public.nparams + 1) * sizeof *part->args);
  if (!part->args) return false;
  for (size_t i = 0; i < method->public.nparams; i++) part->args[i] = (st_value){.type = ST_ABSENT};
  if (full >= 0) part->args[full] = st_bool(is_full(call));
  st_time_form form = part->store ? part->store->store->time_form : ST_TIME_SECONDS;
  return st_args_complete(&(st_args){method, form, part->arena, part->error, part->args});
}

/* ---- What is in it ---- */

typedef struct added {
  char names[400];
  int count;
} added;

static void add_definition(void *to, const char *type, const char *name, const char *table, const char *ddl) {
  added *a = to;
  size_t used = strlen(a->names);
  (void)table, (void)ddl;
  if (strcmp(type, "table") != 0 || strncmp(name, "stele_", strlen("stele_")) != 0) return;
  a->count++;
  if (used + strlen(name) + 2 < sizeof a->names)
    snprintf(a->names + used, sizeof a->names - used, "%s%s", used ? ", " : "", name);
}

/* Files of other programs stay theirs: what Stele put into one is always told. */
static void tell_added(st_call *call) {
  st_opened *store = call->store;
  added found = {.count = 0};
  stele_status status = store->driver->schema(store->conn, add_definition, &found);
  if (st_doctor_ended(call, status) || status != STELE_OK) return; /* of a damaged file: that is told already */
  if (found.count) st_doctor_line(call, ST_HEALTH_OK, "tables", "tables that Stele added: %s", found.names);
  else st_doctor_line(call, ST_HEALTH_OK, "tables", "no table was added to it");
}

/* What stands in the way of a store's own checks. */
static void tell_hindered(st_call *call, const char *problem, const char *hint) {
  st_doctor_line(call, ST_HEALTH_FAIL, "own", "its own checks could not be made: %s", problem);
  st_doctor_cause(call, "what they would have told is not known");
  st_doctor_fix(call, "%s", hint[0] ? hint : "see to the other lines of this store first");
}

static void run_hook(st_call *call, const st_method *method) {
  st_error error;
  st_call part = part_of(call, call->store, &error);
  part.method = method;
  if (set_arguments(&part, call)) st_run_method(&part);
  append(call, &part);
  if (error.status != STELE_OK && st_ok(call)) tell_hindered(call, error.message, error.hint);
}

/* Every method of the store (-1: of the library itself) that adds lines. */
static void run_hooks(st_call *call, int store) {
  for (uint16_t i = 0; i < st_registry.nmethods && st_ok(call); i++)
    if (is_hook(call, &st_registry.methods[i], store)) run_hook(call, &st_registry.methods[i]);
}

/* The store's own checks need its statements, and these a store of today's version. */
static void tell_own(st_call *call, int index) {
  st_error error = {.status = STELE_OK};
  if (st_opened_connect(call->store, &(st_opening){.error = &error})) run_hooks(call, index);
  else if (!st_doctor_ended(call, error.status)) tell_hindered(call, error.message, error.hint);
}

static void tell_contents(st_call *call, int index, bool current) {
  st_opened *store = call->store;
  st_state state = {.name = "unreachable", .problem = ""};
  if (!store->conn) state.status = store->driver->open(&store->target, false, &store->conn, state.problem);
  if (st_doctor_ended(call, state.status)) return;
  if (!store->conn) { /* it could be a moment ago */
    st_doctor_state(call, &state);
    return;
  }
  if (store->driver->engine == ST_SQLITE) st_doctor_inside(call, is_full(call));
  else if (is_check(call)) st_check_postgres(call);
  else st_doctor_postgres(call, st_arg_real(call, ST_P_STELE_DOCTOR_PATIENCE));
  if (!st_ok(call)) return;
  if (is_check(call)) st_check_rows(call);
  else tell_added(call);
  if (current && st_ok(call)) tell_own(call, index);
}

/* ---- Store by store ---- */

static bool is_file(const st_opened *store) { return store->driver == st_drivers[ST_SQLITE] && !st_opened_in_memory(store); }

/* Through a connection of the checkup's own, which cannot write.  A store in memory has only the handle's. */
static void check_store(st_call *call, int index) {
  st_opened *own = &call->db->stores[index], looking = st_opened_apart(own, true);
  bool shared = st_opened_in_memory(own);
  st_error error;
  st_state state;
  st_call part = part_of(call, shared ? own : &looking, &error);
  st_state_look(part.store, &state);
  if (!st_doctor_ended(&part, state.status)) st_doctor_state(&part, &state);
  if (st_ok(&part) && !is_check(call) && st_has_workers(own->store)) st_doctor_handshake(&part, &state);
  if (st_ok(&part) && !is_check(call) && is_file(part.store) && state.status != STELE_NOTFOUND)
    st_doctor_beside(&part, state.status == STELE_OK ? &state.look : NULL);
  bool current = strcmp(state.name, "current") == 0, usable = current || strcmp(state.name, "old") == 0;
  if (st_ok(&part) && usable) tell_contents(&part, index, current);
  if (!shared) st_opened_close(&looking);
  append(call, &part);
}

static bool *wanted_stores(st_call *call) {
  const st_value *list = &call->args[is_check(call) ? ST_P_STELE_CHECK_STORES : ST_P_STELE_DOCTOR_STORES];
  bool *wanted = st_call_alloc(call, (st_registry.nstores + 1u) * sizeof *wanted);
  if (!wanted) return NULL;
  for (uint16_t i = 0; i < st_registry.nstores; i++) wanted[i] = list->count == 0;
  for (uint32_t i = 0; i < list->count; i++) {
    int index;
    if (st_store_find(list->items[i].bytes, &index)) wanted[index] = true;
    else st_fail(call, STELE_NOTFOUND, "stores", "there is no store %.100s", list->items[i].bytes);
  }
  return wanted;
}

/* Tell what comes now: reading a large file takes its time. */
static void tell_progress(st_call *call, const char *what, int done) {
  const stele_db *db = call->db;
  char text[100];
  snprintf(text, sizeof text, "checking %s", what);
  if (st_ok(call) && db->progress && db->progress(db->user, text, done, st_registry.nstores + 1) != 0)
    st_fail(call, STELE_CANCELLED, NULL, "the checkup was stopped");
}

static void check_stores(st_call *call, const bool *wanted) {
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) {
    if (!wanted[i]) continue;
    tell_progress(call, st_registry.stores[i].name, i + 1);
    if (st_ok(call)) check_store(call, i);
  }
}

void st_stele_doctor(st_call *call) {
  const bool *wanted = wanted_stores(call);
  tell_progress(call, "the home", 0);
  if (!st_ok(call)) return;
  st_doctor_library(call);
  st_doctor_home(call);
  st_doctor_server(call);
  run_hooks(call, -1);
  check_stores(call, wanted);
}

void st_stele_check(st_call *call) {
  const bool *wanted = wanted_stores(call);
  if (st_ok(call)) check_stores(call, wanted);
}
