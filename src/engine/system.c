/* system.c - the library's own methods: stele.version, stele.methods, stele.status and so on. */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/time.h"
#include "engine/handle.h"
#include "engine/sqlite_wal.h"
#include "engine/system.h"
#include "registry_ids.h"

#define TEXT_MAX (1u << 20)

void st_stele_version(st_call *call) {
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_STELE_VERSION_VERSION] = st_textz(STELE_VERSION);
  row[ST_R_STELE_VERSION_SQLITE] = st_textz(sqlite3_libversion());
  row[ST_R_STELE_VERSION_SQLITE_WAL_SAFE] = st_bool(st_sqlite_wal_safe(st_sqlite_version()));
  row[ST_R_STELE_VERSION_POSTGRES] = st_bool(st_drivers[ST_POSTGRES] != NULL);
}

static const char *type_name(const stele_field *field) {
  static const char *const names[] = {"text", "int",      "real",  "bool",   "json", "jsontext", "time",
                                      "uuid", "duration", "query", "vector", "blob", "record", "content"};
  return names[field->type];
}

static void add_text(st_str *out, const char *name, const char *text) {
  st_str_addf(out, ",\"%s\":", name);
  st_json_add_string(out, text, strlen(text));
}

static void add_limits(st_str *out, const stele_field *field) {
  if (!isinf(field->min)) {
    st_str_addz(out, ",\"min\":");
    st_json_add_real(out, field->min);
  }
  if (!isinf(field->max)) {
    st_str_addz(out, ",\"max\":");
    st_json_add_real(out, field->max);
  }
  for (const char *const *choice = field->choices; choice && *choice; choice++) {
    st_str_addz(out, choice == field->choices ? ",\"choices\":[" : ",");
    st_json_add_string(out, *choice, strlen(*choice));
    if (!choice[1]) st_str_addc(out, ']');
  }
}

/* A default as JSON; `now` and `new` as texts. */
static void add_default(st_str *out, const stele_field *field) {
  bool word = field->fallback && (strcmp(field->fallback, "now") == 0 || strcmp(field->fallback, "new") == 0);
  if (word)
    add_text(out, "default", field->fallback);
  else if (field->fallback)
    st_str_addf(out, ",\"default\":%s", field->fallback);
}

static void add_field(st_str *out, const stele_field *field) {
  st_str_addz(out, "{\"name\":");
  st_json_add_string(out, field->name, strlen(field->name));
  add_text(out, "type", type_name(field));
  if (field->record) add_text(out, "record", field->record->name);
  if (field->flags & STELE_LIST) st_str_addz(out, ",\"list\":true");
  if (field->flags & STELE_NULLABLE) st_str_addz(out, ",\"nullable\":true");
  if ((field->flags & STELE_OPTIONAL) || field->fallback) st_str_addz(out, ",\"optional\":true");
  add_default(out, field);
  add_limits(out, field);
  add_text(out, "doc", field->doc);
  st_str_addc(out, '}');
}

static st_value fields_json(st_call *call, const stele_field *fields, size_t count) {
  st_value value = {.type = ST_NULL};
  st_str out;
  st_str_init(&out, TEXT_MAX);
  st_str_addc(&out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i) st_str_addc(&out, ',');
    add_field(&out, &fields[i]);
  }
  st_str_addc(&out, ']');
  if (out.failed)
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  else
    value = st_textz(st_call_copy(call, out.text, out.length));
  st_str_free(&out);
  return value;
}

/* The store that an argument names, or fail.  -1: the argument is absent, meaning all. */
static int wanted_store(st_call *call, int param) {
  int index = -1;
  if (st_has(call, param) && !st_store_find(st_arg_text(call, param), &index))
    st_fail(call, STELE_NOTFOUND, "store", "there is no store %.100s", st_arg_text(call, param));
  return index;
}

void st_stele_methods(st_call *call) {
  const char *store = st_arg_text(call, ST_P_STELE_METHODS_STORE);
  if (store && strcmp(store, "stele") != 0) wanted_store(call, ST_P_STELE_METHODS_STORE);
  const stele_method *method;
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) {
    if (store && strcmp(store, method->store) != 0) continue;
    st_value *row = st_reply(call);
    if (!row) return;
    row[ST_R_STELE_METHODS_NAME] = st_textz(method->name);
    row[ST_R_STELE_METHODS_STORE] = st_textz(method->store);
    row[ST_R_STELE_METHODS_SHAPE] = st_textz(method->shape);
    row[ST_R_STELE_METHODS_ACCESS] = st_textz(method->access);
    row[ST_R_STELE_METHODS_DOC] = st_textz(method->doc);
    row[ST_R_STELE_METHODS_PARAMS] = fields_json(call, method->params, method->nparams);
    row[ST_R_STELE_METHODS_RESULTS] = fields_json(call, method->results, method->nresults);
  }
}

static const char *state_of(const st_opened *opened, stele_status status, const st_look *look) {
  if (status == STELE_NOTFOUND) return "absent";
  if (status != STELE_OK) return "unreachable";
  if (look->fresh) return "fresh";
  if (look->foreign[0]) return "foreign";
  if (look->version > opened->store->version) return "newer";
  return look->version < opened->store->version ? "old" : "current";
}

/* What the handle's own connection knows: sizes and counters. */
static void add_counts(st_call *call, st_opened *opened, st_value *row) {
  static const st_counts none;
  const st_counts *counts = opened->conn ? &opened->conn->counts : &none;
  int64_t bytes = 0, wal = 0;
  if (opened->conn && opened->driver->size(opened->conn, &bytes, &wal) == STELE_OK) {
    row[ST_R_STELE_STATUS_BYTES] = st_int(bytes);
    row[ST_R_STELE_STATUS_WAL_BYTES] = st_int(wal);
  }
  row[ST_R_STELE_STATUS_COMMITS] = st_int(counts->commits);
  row[ST_R_STELE_STATUS_WAITS] = st_int(counts->waits);
  row[ST_R_STELE_STATUS_MAX_WAIT_MS] = st_real((double)counts->max_wait_us / 1000);
  row[ST_R_STELE_STATUS_RETRIES] = st_int(counts->retries);
  (void)call;
}

static void add_state(st_call *call, st_opened *opened, st_value *row) {
  st_look look = {.fresh = true};
  char problem[400] = "";
  stele_status status = STELE_OK;
  if (opened->conn && strcmp(opened->location, ":memory:") == 0)
    status = opened->driver->look(opened->conn, &look);
  else if (strcmp(opened->location, ":memory:") != 0)
    status = st_opened_look(opened, &look, problem);
  if (status == STELE_OK && look.foreign[0]) snprintf(problem, sizeof problem, "%s", look.foreign);
  row[ST_R_STELE_STATUS_STATE] = st_textz(state_of(opened, status, &look));
  if (status == STELE_OK && !look.fresh && !look.foreign[0]) row[ST_R_STELE_STATUS_VERSION] = st_int(look.version);
  if (problem[0] && status != STELE_NOTFOUND) row[ST_R_STELE_STATUS_PROBLEM] = st_textz(st_call_copy(call, problem, strlen(problem)));
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
    add_counts(call, opened, row);
    if (opened->location && opened->driver)
      add_state(call, opened, row);
    else
      row[ST_R_STELE_STATUS_STATE] = st_textz("unreachable");
  }
}

/* Does the store exist?  (Asking for its schema or migrating must not create it.) */
static bool exists(st_call *call, st_opened *opened) {
  st_look look;
  char problem[400] = "";
  if (opened->conn) return true;
  if (!opened->location || !opened->driver || strcmp(opened->location, ":memory:") == 0) return false;
  stele_status status = st_opened_look(opened, &look, problem);
  if (status != STELE_OK && status != STELE_NOTFOUND) st_fail(call, status, NULL, "%s", problem);
  return status == STELE_OK && !look.fresh;
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
  int wanted = wanted_store(call, ST_P_STELE_SCHEMA_STORE);
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) {
    listing l = {call, NULL, st_arg_text(call, ST_P_STELE_SCHEMA_TABLE)};
    if (wanted >= 0 && wanted != i) continue;
    if (!exists(call, &call->db->stores[i])) continue;
    if (!st_handle_store(call->db, i, call->error, &l.opened)) return;
    stele_status status = l.opened->driver->schema(l.opened->conn, add_definition, &l);
    if (status != STELE_OK) st_fail(call, status, NULL, "%s", l.opened->conn->problem);
  }
  if (st_ok(call) && st_has(call, ST_P_STELE_SCHEMA_TABLE) && !call->first)
    st_fail(call, STELE_NOTFOUND, "table", "there is no table %.100s", st_arg_text(call, ST_P_STELE_SCHEMA_TABLE));
}

void st_stele_migrate(st_call *call) {
  int wanted = wanted_store(call, ST_P_STELE_MIGRATE_STORE);
  unsigned flags = call->db->flags;
  call->db->flags |= STELE_OPEN_MIGRATE; /* this is what was asked for */
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++) {
    st_opened *opened = &call->db->stores[i];
    st_look look = {.version = opened->store->version};
    char problem[400];
    if ((wanted >= 0 && wanted != i) || !exists(call, opened)) continue;
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

/* DIRECTORY/telemetry-2026-11-15T09-46-40Z.db */
static char *backup_path(st_call *call, const char *directory, const char *store) {
  char time[ST_TIME_MAX] = "", path[4096];
  st_time_rfc3339(st_time_now(), time);
  for (char *c = time; *c; c++)
    if (*c == ':') *c = '-';
  int length = snprintf(path, sizeof path, "%s/%s-%s.db", directory, store, time);
  if (length < (int)sizeof path) return st_call_copy(call, path, (size_t)length);
  st_fail(call, STELE_INVALID, "to", "the path is too long");
  return NULL;
}

static void back_up(st_call *call, int index, const char *directory) {
  struct stat made;
  st_opened *opened;
  if (!st_handle_store(call->db, index, call->error, &opened)) return;
  char *path = backup_path(call, directory, opened->store->name);
  if (!path) return;
  stele_status status = opened->driver->backup(opened->conn, path, call->db->progress, call->db->user);
  st_value *row = status == STELE_OK ? st_reply(call) : NULL;
  if (status != STELE_OK) st_fail(call, status, NULL, "%s: %s", opened->store->name, opened->conn->problem);
  if (!row) return;
  row[ST_R_STELE_BACKUP_STORE] = st_textz(opened->store->name);
  row[ST_R_STELE_BACKUP_PATH] = st_textz(path);
  row[ST_R_STELE_BACKUP_BYTES] = st_int(stat(path, &made) == 0 ? made.st_size : 0);
}

void st_stele_backup(st_call *call) {
  int wanted = wanted_store(call, ST_P_STELE_BACKUP_STORE);
  const char *directory = st_arg_text(call, ST_P_STELE_BACKUP_TO);
  char in_home[4096];
  if (!directory && call->db->home) {
    snprintf(in_home, sizeof in_home, "%s/backups", call->db->home);
    directory = in_home;
  }
  if (!directory) st_fail(call, STELE_INVALID, "to", "say where to: the handle has no home");
  if (st_ok(call)) mkdir(directory, 0700); /* an error shows when the copy is made */
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++)
    if ((wanted < 0 || wanted == i) && exists(call, &call->db->stores[i])) back_up(call, i, directory);
}
