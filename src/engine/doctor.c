/* doctor.c - stele.doctor: the order of the checkup, and what is said of each store.  See doctor.h. */
#include "engine/doctor.h"

#include <stdio.h>
#include <string.h>

#include "engine/args.h"
#include "engine/dispatch.h"
#include "engine/handle.h"
#include "engine/state.h"
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

/* ---- Lines of the stores' own ---- */

static bool is_hook(const st_method *method, int store) {
  const char *name = strchr(method->public.name, '.') + 1;
  if (method->store != store || method->id == STELE_M_STELE_DOCTOR) return false;
  return strcmp(name, "doctor") == 0 || strncmp(name, "doctor_", strlen("doctor_")) == 0;
}

static bool set_arguments(st_call *part, const st_call *call) {
  const st_method *method = part->method;
  int full = st_param_index(method, "full");
  part->args = st_call_alloc(part, (method->public.nparams + 1) * sizeof *part->args);
  if (!part->args) return false;
  for (size_t i = 0; i < method->public.nparams; i++) part->args[i] = (st_value){.type = ST_ABSENT};
  if (full >= 0) part->args[full] = call->args[ST_P_STELE_DOCTOR_FULL];
  st_time_form form = part->store ? part->store->store->time_form : ST_TIME_SECONDS;
  return st_args_complete(&(st_args){method, form, part->arena, part->error, part->args});
}

static void run_hook(st_call *call, const st_method *method) {
  st_error error;
  st_call part = part_of(call, call->store, &error);
  part.method = method;
  if (set_arguments(&part, call)) st_run_method(&part);
  append(call, &part);
  if (error.status == STELE_OK || !st_ok(call)) return;
  st_doctor_line(call, ST_HEALTH_FAIL, "own", "its own checks could not be made: %s", error.message);
  st_doctor_cause(call, "a statement of %s failed; what it would have told is not known", method->public.name);
  st_doctor_fix(call, "%s", error.hint[0] ? error.hint : "see to the other lines of this store first");
}

/* Every method of the store (-1: of the library itself) that adds lines. */
static void run_hooks(st_call *call, int store) {
  for (uint16_t i = 0; i < st_registry.nmethods && st_ok(call); i++)
    if (is_hook(&st_registry.methods[i], store)) run_hook(call, &st_registry.methods[i]);
}

/* ---- What a store is ---- */

static const char *place_of(const st_opened *opened) { return opened->schema ? opened->schema : opened->location; }

/* On PostgreSQL one may get in and yet see nothing. */
static bool lacks_rights(st_call *call, const st_state *state) {
  st_opened *store = call->store;
  char problem[400];
  if (!store->schema || !store->driver || state->status == STELE_UNAVAILABLE) return false;
  return store->driver->open(&store->target, false, &store->conn, problem) == STELE_OK && !st_doctor_rights(call);
}

static void tell_unreachable(st_call *call, const st_state *state) {
  bool postgres = call->store->schema != NULL;
  if (lacks_rights(call, state)) return;
  if (state->status == STELE_CORRUPT) {
    st_doctor_line(call, ST_HEALTH_FAIL, "integrity", "damaged: %s", state->problem);
    st_doctor_cause(call, "%s was overwritten or lost pages (a failing disk, a copy made while it was written), or is no SQLite file at all",
                    place_of(call->store));
    st_doctor_fix(call, "stop what writes to it, keep a copy of the file and its -wal, then put the newest good backup in its place");
    return;
  }
  if (state->status == STELE_READONLY) { /* nobody can read it before the next writer has undone the journal */
    st_doctor_line(call, ST_HEALTH_WARN, "open", "a writer was killed and left a rollback journal: %s", state->problem);
    st_doctor_cause(call, "the half-done transaction is undone by the next program that opens the file for writing");
    st_doctor_fix(call, "open it once, for instance with `stele schema %s`; never delete the -journal", call->store->store->name);
    return;
  }
  st_doctor_line(call, ST_HEALTH_FAIL, "open", "cannot be opened: %s", state->problem);
  st_doctor_cause(call, postgres ? "the database server does not answer, or does not let this role in"
                                 : "the file or its directory cannot be read by this user, or is not a file");
  st_doctor_fix(call, postgres ? "see that the server runs and that address, role and password are right (`stele status` shows the schema)"
                               : "see to owner and permissions of the path above; `stele config` shows where the home is");
}

static void tell_foreign(st_call *call, const st_state *state) {
  st_doctor_line(call, ST_HEALTH_FAIL, "foreign", "%s is not a %s store: %s", place_of(call->store), call->store->store->name, state->problem);
  st_doctor_cause(call, "the file belongs to another program or to another store; it is never touched");
  st_doctor_fix(call, "%s", state->look.advice ? state->look.advice : "point the store elsewhere with --store NAME=PATH, or move the file away");
}

static void tell_newer(st_call *call, const st_state *state) {
  st_doctor_line(call, ST_HEALTH_FAIL, "version", "version %d; this Stele knows up to %d", state->look.version,
                 call->store->store->accepts);
  st_doctor_cause(call, "a newer program has written or migrated it; it is refused and left as it is");
  st_doctor_fix(call, "use a newer Stele, or put back the backup from before the migration");
}

static void tell_older(st_call *call, const st_state *state) {
  const st_store *store = call->store->store;
  st_doctor_line(call, ST_HEALTH_WARN, "version", "version %d; this Stele works with %d", state->look.version, store->version);
  st_doctor_cause(call, call->store->target.in_home ? "an older Stele made it; the next use migrates it, after a backup"
                                                    : "it lies outside the home, where files are migrated only when asked");
  st_doctor_fix(call, "stele migrate %s", store->name);
}

static void tell_state(st_call *call, const st_state *state) {
  const char *name = call->store->store->name;
  if (strcmp(state->name, "absent") == 0 || strcmp(state->name, "fresh") == 0)
    st_doctor_line(call, ST_HEALTH_OK, "open", "not there yet: the first use makes it");
  else if (strcmp(state->name, "unreachable") == 0)
    tell_unreachable(call, state);
  else if (strcmp(state->name, "foreign") == 0)
    tell_foreign(call, state);
  else if (strcmp(state->name, "newer") == 0)
    tell_newer(call, state);
  else if (strcmp(state->name, "old") == 0)
    tell_older(call, state);
  else
    st_doctor_line(call, ST_HEALTH_OK, "version", "%s, version %d, %s", name, state->look.version, st_size(state->look.bytes).text);
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
  if (store->driver->schema(store->conn, add_definition, &found) != STELE_OK) return; /* integrity has told */
  if (found.count) st_doctor_line(call, ST_HEALTH_OK, "tables", "tables that Stele added: %s", found.names);
  else st_doctor_line(call, ST_HEALTH_OK, "tables", "no table was added to it");
}

/* The store's own checks need its statements, and these a store of today's version. */
static void tell_own(st_call *call, int index) {
  st_error error = {.status = STELE_OK};
  if (st_opened_connect(call->store, &(st_opening){.error = &error})) run_hooks(call, index);
}

static void tell_contents(st_call *call, int index, const st_state *state) {
  st_opened *store = call->store;
  bool full = st_arg_int(call, ST_P_STELE_DOCTOR_FULL) != 0;
  char problem[400] = "";
  if (!store->conn && store->driver->open(&store->target, false, &store->conn, problem) != STELE_OK) return;
  if (store->driver->engine == ST_POSTGRES) st_doctor_postgres(call, st_arg_real(call, ST_P_STELE_DOCTOR_PATIENCE));
  else st_doctor_inside(call, full);
  tell_added(call);
  if (strcmp(state->name, "current") == 0) tell_own(call, index);
}

/* ---- Store by store ---- */

/* Through a connection of the checkup's own, which cannot write.  A store in memory has only the handle's. */
static void check_store(st_call *call, int index) {
  st_opened *own = &call->db->stores[index], looking = *own;
  bool shared = st_opened_in_memory(own);
  st_error error;
  st_state state;
  looking.conn = NULL;
  looking.variants = NULL;
  looking.attached = NULL;
  looking.settled = false;
  looking.target.readonly = true;
  st_call part = part_of(call, shared ? own : &looking, &error);
  st_state_look(part.store, &state);
  if (state.status == STELE_NOMEM) st_fail(&part, STELE_NOMEM, NULL, "out of memory");
  tell_state(&part, &state);
  if (part.store->driver && part.store->driver->engine == ST_SQLITE && !shared && state.status != STELE_NOTFOUND)
    st_doctor_beside(&part, &state.look);
  if (st_state_is_ours(&state) && strcmp(state.name, "newer") != 0) tell_contents(&part, index, &state);
  if (!shared) st_opened_close(&looking);
  append(call, &part);
}

static bool *wanted_stores(st_call *call) {
  const st_value *list = &call->args[ST_P_STELE_DOCTOR_STORES];
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

void st_stele_doctor(st_call *call) {
  const bool *wanted = wanted_stores(call);
  tell_progress(call, "the home", 0);
  if (!st_ok(call)) return;
  st_doctor_library(call);
  st_doctor_home(call);
  st_doctor_server(call);
  run_hooks(call, -1);
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) {
    if (!wanted[i]) continue;
    tell_progress(call, st_registry.stores[i].name, i + 1);
    if (st_ok(call)) check_store(call, i);
  }
}
