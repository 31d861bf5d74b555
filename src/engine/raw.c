/* raw.c - see raw.h. */
#include "engine/raw.h"

#include <string.h>

#include "base/alloc.h"
#include "engine/dispatch.h"
#include "engine/guard.h"

struct stele_sql {
  stele_db *db;
  stele_sql *next, **at; /* in db->raws */
  st_opened *store;
  st_raw *raw; /* NULL: its connection was lost */
};

static const st_raw_driver *driver_of(const stele_sql *sql) { return sql->store->driver->raw; }

static stele_status fail(stele_sql *sql, stele_status status) {
  st_guard_fail(sql->db, status, "%s", sql->raw->conn->problem);
  sql->store->sql.code = sql->raw->code;
  return status;
}

/* Tell the connection's state, and keep the handle's: a transaction that a statement has begun is one that methods
** run in, as if stele_begin() had. */
static void keep_state(stele_db *db, st_opened *store) {
  store->driver->raw->state(store->conn, &store->sql);
  if (store->sql.in_transaction && !db->tx) db->tx = store;
  if (!store->sql.in_transaction && db->tx == store) db->tx = NULL;
}

static stele_status raw_prepare(stele_db *db, const char *name, const char *text, size_t length, stele_sql **out) {
  int index = -1, code = 0;
  st_opened *store;
  stele_status status = st_guard(db);
  *out = NULL;
  if (status != STELE_OK) return status;
  if (!name || !st_store_find(name, &index)) return st_guard_fail(db, STELE_INVALID, "there is no store %s", name ? name : "(null)");
  if (!st_handle_raw_store(db, index, &db->error, &store)) return db->error.status;
  if (!store->driver->raw) return st_guard_fail(db, STELE_UNSUPPORTED, "%s is not in SQLite: it has no raw statements", name);
  stele_sql *sql = st_alloc_zero(sizeof *sql);
  if (!sql) return st_guard_fail(db, STELE_NOMEM, "out of memory");
  status = store->driver->raw->prepare(store->conn, text, length, &sql->raw, &code);
  if (status != STELE_OK || !sql->raw) {
    st_free(sql);
    if (status != STELE_OK) st_guard_fail(db, status, "%s", store->conn->problem);
    store->sql.code = code;
    return status;
  }
  sql->db = db;
  sql->store = store;
  sql->next = db->raws;
  sql->at = &db->raws;
  if (sql->next) sql->next->at = &sql->next;
  db->raws = sql;
  *out = sql;
  return STELE_OK;
}

static stele_status may_use(stele_sql *sql) {
  if (!sql) return STELE_MISUSE;
  stele_status status = st_guard(sql->db);
  if (status == STELE_OK) sql->store->sql.code = 0;
  if (status == STELE_OK && !sql->raw)
    return st_guard_fail(sql->db, STELE_MISUSE, "the connection was closed: prepare the statement again");
  return status;
}

static stele_status raw_bind(stele_sql *sql, const stele_value *values, size_t count) {
  stele_status status = may_use(sql);
  if (status != STELE_OK) return status;
  if (count != sql->raw->info.nparams)
    return st_guard_fail(sql->db, STELE_INVALID, "the statement has %zu parameters, and %zu values were given",
                         sql->raw->info.nparams, count);
  status = driver_of(sql)->bind(sql->raw, values, count);
  return status == STELE_OK ? status : fail(sql, status);
}

static stele_status raw_step(stele_sql *sql) {
  stele_status status = may_use(sql);
  if (status != STELE_OK) return status;
  if (sql->raw->info.writes) {
    st_settle_streams(sql->db, sql->store);
    if (sql->db->error.status != STELE_OK) return sql->db->error.status;
    sql->store->features_ms = 0; /* it may make or drop what one is known by */
  }
  status = driver_of(sql)->step(sql->raw);
  if (status != STELE_ROW && status != STELE_DONE) fail(sql, status);
  keep_state(sql->db, sql->store);
  return status;
}

static void raw_reset(stele_sql *sql) {
  if (may_use(sql) != STELE_OK) return;
  driver_of(sql)->reset(sql->raw);
  keep_state(sql->db, sql->store);
}

/* Leaves the handle's last failure alone, and in a forked child the statement, which is the parent's. */
static void raw_finalize(stele_sql *sql) {
  if (!sql) return;
  if (sql->raw && sql->db->pid == st_guard_pid()) {
    driver_of(sql)->finalize(sql->raw);
    keep_state(sql->db, sql->store);
  }
  *sql->at = sql->next;
  if (sql->next) sql->next->at = sql->at;
  st_free(sql);
}

void st_raw_close(stele_db *db) {
  while (db->raws) raw_finalize(db->raws);
}

void st_raw_lost(stele_db *db, const st_opened *store) {
  for (stele_sql *sql = db->raws; sql; sql = sql->next) {
    if (sql->store != store || !sql->raw) continue;
    driver_of(sql)->finalize(sql->raw);
    sql->raw = NULL;
  }
}

static const stele_sql_info *raw_about(stele_sql *sql) {
  static const stele_sql_info none;
  return sql && sql->raw ? &sql->raw->info : &none;
}

static const stele_sql_state *raw_connection(stele_db *db, const char *name) {
  int index = -1;
  if (!db || db->pid != st_guard_pid() || !name || !st_store_find(name, &index)) return NULL; /* the last failure stays */
  st_opened *store = &db->stores[index];
  if (store->conn && store->driver->raw) keep_state(db, store);
  return &store->sql;
}

const stele_raw_functions *stele_raw(void) {
  static const stele_raw_functions functions = {raw_prepare, raw_bind, raw_step, raw_reset, raw_finalize, raw_about, raw_connection};
  return &functions;
}
