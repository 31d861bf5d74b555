/* doctor_state.c - lines of the checkup about what a store is: there or not, whose, of which version. */
#include <string.h>

#include "engine/doctor.h"

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
    st_doctor_fix(call, "stop what uses it, then `stele restore %s --replace`; `stele repair %s --salvage` gets what is not in the backup out of the file",
                  call->store->store->name, call->store->store->name);
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
  bool incomplete = state->look.version >= store->version;
  if (incomplete)
    st_doctor_line(call, ST_HEALTH_WARN, "version", "version %d, but not whole: %s", state->look.version, state->look.missing);
  else
    st_doctor_line(call, ST_HEALTH_WARN, "version", "version %d; this Stele works with %d", state->look.version, store->version);
  st_doctor_cause(call, "%s; %s", incomplete ? "a migration of another program was cut short" : "an older program made it",
                  call->store->target.in_home ? "the next use brings it up to date, after a backup"
                                              : "it lies outside the home, where files are migrated only when asked");
  st_doctor_fix(call, "stele migrate %s", store->name);
}

void st_doctor_state(st_call *call, const st_state *state) {
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
