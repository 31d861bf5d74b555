/* admin.c - the library's methods about its stores: stele.status, schema, migrate. */
#include <stdio.h>
#include <string.h>

#include "engine/handle.h"
#include "engine/state.h"
#include "engine/system.h"
#include "registry_ids.h"

/* What the handle's own connection has counted. */
static void add_counts(const st_opened *opened, st_value *row) {
  static const st_counts none;
  const st_counts *counts = opened->conn ? &opened->conn->counts : &none;
  row[ST_R_STELE_STATUS_COMMITS] = st_int(counts->commits);
  row[ST_R_STELE_STATUS_WAITS] = st_int(counts->waits);
  row[ST_R_STELE_STATUS_MAX_WAIT_MS] = st_real((double)counts->max_wait_us / 1000);
  row[ST_R_STELE_STATUS_RETRIES] = st_int(counts->retries);
}

static void add_state(st_call *call, const st_opened *opened, st_value *row) {
  st_state found;
  st_state_look(opened, &found);
  row[ST_R_STELE_STATUS_STATE] = st_textz(found.name);
  if (st_state_is_ours(&found)) row[ST_R_STELE_STATUS_VERSION] = st_int(found.look.version);
  if (found.status == STELE_OK) row[ST_R_STELE_STATUS_BYTES] = st_int(found.look.bytes);
  if (found.status == STELE_OK) row[ST_R_STELE_STATUS_WAL_BYTES] = st_int(found.look.wal_bytes);
  if (found.problem[0] && found.status != STELE_NOTFOUND)
    row[ST_R_STELE_STATUS_PROBLEM] = st_textz(st_call_copy(call, found.problem, strlen(found.problem)));
}

void st_stele_status(st_call *call) {
  for (uint16_t i = 0; i < st_registry.nstores; i++) {
    st_opened *opened = &call->db->stores[i];
    st_value *row = st_reply(call);
    if (!row) return;
    row[ST_R_STELE_STATUS_STORE] = st_textz(opened->store->name);
    row[ST_R_STELE_STATUS_ENGINE] = st_textz(opened->driver ? opened->driver->name : "postgres");
    row[ST_R_STELE_STATUS_LOCATION] = st_textz(opened->schema ? opened->schema : opened->location);
    row[ST_R_STELE_STATUS_KNOWS] = st_int(opened->store->version);
    row[ST_R_STELE_STATUS_DURABILITY] = st_textz(opened->target.full ? "full" : "normal");
    add_counts(opened, row);
    add_state(call, opened, row);
  }
}

bool st_store_exists(st_call *call, const st_opened *opened) {
  st_state found;
  if (opened->conn) return true;
  st_state_look(opened, &found);
  if (found.status != STELE_OK && found.status != STELE_NOTFOUND) st_fail(call, found.status, NULL, "%s", found.problem);
  return found.status == STELE_OK && !found.look.fresh;
}

typedef struct listing {
  st_call *call;
  st_opened *opened;
  const char *table; /* only this one, or NULL */
} listing;

static void add_definition(void *to, const char *type, const char *name, const char *table, const char *ddl) {
  listing *l = to;
  if (l->table && strcmp(l->table, table) != 0) return;
  st_value *row = st_reply(l->call);
  if (!row) return;
  row[ST_R_STELE_SCHEMA_STORE] = st_textz(l->opened->store->name);
  row[ST_R_STELE_SCHEMA_VERSION] = st_int(l->opened->store->version);
  row[ST_R_STELE_SCHEMA_TYPE] = st_textz(st_call_copy(l->call, type, strlen(type)));
  row[ST_R_STELE_SCHEMA_NAME] = st_textz(st_call_copy(l->call, name, strlen(name)));
  row[ST_R_STELE_SCHEMA_TABLE] = st_textz(st_call_copy(l->call, table, strlen(table)));
  row[ST_R_STELE_SCHEMA_DDL] = st_textz(st_call_copy(l->call, ddl, strlen(ddl)));
}

void st_stele_schema(st_call *call) {
  int wanted = st_wanted_store(call, ST_P_STELE_SCHEMA_STORE);
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) {
    listing l = {call, NULL, st_arg_text(call, ST_P_STELE_SCHEMA_TABLE)};
    if (wanted >= 0 && wanted != i) continue;
    if (!st_store_exists(call, &call->db->stores[i])) continue;
    if (!st_handle_store(call->db, i, call->error, &l.opened)) return;
    stele_status status = l.opened->driver->schema(l.opened->conn, add_definition, &l);
    if (status != STELE_OK) st_fail(call, status, NULL, "%s", l.opened->conn->problem);
  }
  if (st_ok(call) && st_has(call, ST_P_STELE_SCHEMA_TABLE) && !call->first)
    st_fail(call, STELE_NOTFOUND, "table", "there is no table %.100s", st_arg_text(call, ST_P_STELE_SCHEMA_TABLE));
}

void st_stele_migrate(st_call *call) {
  int wanted = st_wanted_store(call, ST_P_STELE_MIGRATE_STORE);
  unsigned flags = call->db->flags;
  call->db->flags |= STELE_OPEN_MIGRATE; /* this is what was asked for */
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) {
    st_opened *opened = &call->db->stores[i];
    st_look look = {.version = opened->store->version};
    char problem[400];
    if ((wanted >= 0 && wanted != i) || !st_store_exists(call, opened)) continue;
    if (!opened->conn) st_opened_look(opened, &look, problem);
    if (!st_handle_store(call->db, i, call->error, &opened)) break;
    st_value *row = st_reply(call);
    if (!row) break;
    row[ST_R_STELE_MIGRATE_STORE] = st_textz(opened->store->name);
    row[ST_R_STELE_MIGRATE_BEFORE] = st_int(look.version);
    row[ST_R_STELE_MIGRATE_AFTER] = st_int(opened->store->version);
  }
  call->db->flags = flags;
}
