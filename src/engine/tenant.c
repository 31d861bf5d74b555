/* tenant.c - stele.create_tenant and what else concerns tenants.  See tenant_name.h, and docs/scaling.md for what a tenant may.
**
** The statements about roles and schemas are written by the server itself (format, with names quoted by it), and then run, all in
** one transaction.  The tables of a tenant's stores are made as its role, so that they belong to it. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/handle.h"
#include "engine/system.h"
#include "engine/tenant_name.h"
#include "registry_ids.h"

/* What marks the role of a tenant of this database: roles are the whole server's. */
#define MARK "'Stele: tenant of ' || pg_catalog.current_database()"
#define TENANTS                                                                                          \
  "FROM pg_catalog.pg_roles AS r WHERE pg_catalog.shobj_description(r.oid, 'pg_authid') = " MARK

/* The schemas of tenant $1, of the stores $2, in the order of the stores. */
#define SCHEMAS "(SELECT $1::text || '_' || s.store AS name FROM pg_catalog.unnest($2::text[]) AS s(store)) AS s"

/* The role that raw SQL runs as there: postgres_role.c. */
#define RAW_ROLE "'stele_raw_' || pg_catalog.left(pg_catalog.md5(pg_catalog.current_database() || '/' || s.name), 16)"

/* ---- The administrator's connection ---- */

typedef struct admin {
  st_call *call;
  st_conn *conn;
  const st_opened *at; /* a store of the handle's that is in the database */
} admin;

static bool admin_failed(admin *a, stele_status status) {
  if (status != STELE_OK) st_fail(a->call, status, NULL, "%s", a->conn->problem);
  return status != STELE_OK;
}

static bool admin_open(admin *a, st_call *call) {
  char problem[400] = "";
  *a = (admin){.call = call};
  for (uint16_t i = 0; i < st_registry.nstores && !a->at; i++) {
    const st_opened *store = &call->db->stores[i];
    if (store->schema) a->at = store;
  }
  if (!a->at) {
    st_fail(call, STELE_UNSUPPORTED, NULL, "tenants are in a PostgreSQL database: name it (--database)");
    return false;
  }
  if (!a->at->driver) {
    st_fail(call, STELE_UNSUPPORTED, NULL, "this Stele was built without PostgreSQL");
    return false;
  }
  st_target target = a->at->target;
  target.schema = "pg_catalog"; /* it is always there, and nothing is made in it */
  target.readonly = false;
  stele_status status = a->at->driver->open(&target, false, &a->conn, problem);
  if (status != STELE_OK) st_fail(call, status, NULL, "%s", problem);
  return st_ok(call);
}

static void admin_close(admin *a) {
  if (a->conn) a->conn->driver->close(a->conn);
}

/* ---- Statements ---- */

/* Call row() for each row of a query. */
static void each_row(admin *a, const char *sql, const st_value *const *params, size_t count, void (*row)(admin *a, st_prepared *prepared)) {
  const st_driver *driver = a->conn->driver;
  st_prepared *prepared = NULL;
  stele_status status = driver->prepare(a->conn, sql, &prepared);
  if (status == STELE_OK) status = driver->start(prepared, params, count);
  while (status == STELE_OK && (status = driver->step(prepared)) == STELE_ROW) {
    if (row) row(a, prepared);
    status = st_ok(a->call) ? STELE_OK : STELE_DONE;
  }
  if (status != STELE_DONE) admin_failed(a, status);
  if (prepared) driver->finalize(prepared);
}

static void run_text(admin *a, st_prepared *prepared) {
  st_value text;
  prepared->conn->driver->column(prepared, 0, &text);
  if (text.type == ST_TEXT) admin_failed(a, a->conn->driver->script(a->conn, text.bytes));
}

/* In one transaction: what the query writes. */
static void run_written(admin *a, const char *sql, const st_value *const *params, size_t count) {
  const st_driver *driver = a->conn->driver;
  if (!st_ok(a->call) || admin_failed(a, driver->begin(a->conn, true))) return;
  each_row(a, sql, params, count, run_text);
  if (st_ok(a->call)) admin_failed(a, driver->commit(a->conn));
  else driver->rollback(a->conn);
}

static st_value store_names(st_call *call) {
  st_value *names = st_call_alloc(call, st_registry.nstores * sizeof *names);
  for (uint16_t i = 0; names && i < st_registry.nstores; i++) names[i] = st_textz(st_registry.stores[i].name);
  return (st_value){.type = ST_LIST, .items = names, .count = names ? st_registry.nstores : 0, .width = 1};
}

/* The name that an argument says, or fail. */
static st_value tenant_name(st_call *call, int param) {
  const char *name = st_arg_text(call, param);
  if (st_ok(call) && !st_tenant_is_name(name))
    st_fail(call, STELE_INVALID, "name", "the name of a tenant has at most %d of the characters a-z, 0-9 and _, and begins with a letter",
            ST_TENANT_MAX);
  return st_textz(name);
}

static void found_one(admin *a, st_prepared *prepared) {
  (void)prepared;
  a->call->changed[0] = 1;
}

static void must_exist(admin *a, const st_value *name) {
  if (!st_ok(a->call)) return;
  a->call->changed[0] = 0;
  each_row(a, "SELECT 1 " TENANTS " AND r.rolname = $1::text", (const st_value *const[]){name}, 1, found_one);
  if (st_ok(a->call) && !a->call->changed[0]) st_fail(a->call, STELE_NOTFOUND, "name", "there is no tenant of the name %s", name->bytes);
  a->call->changed[0] = 0;
}

/* ---- The stores of a tenant ---- */

/* As an administrator who acts as the tenant: what is made belongs to it. */
static stele_db *open_as(admin *a, const char *name) {
  st_str url;
  stele_db *db = NULL;
  st_str_init(&url, 8192);
  st_str_addf(&url, "%s%ctenant=%s&options=-c%%20role%%3D%s", a->at->location, strchr(a->at->location, '?') ? '&' : '?', name, name);
  char *text = st_str_take(&url);
  stele_options options = {.size = sizeof options, .database = text, .wait_ms = a->call->db->wait_ms, .log = a->call->db->log,
                           .progress = a->call->db->progress, .user = a->call->db->user};
  stele_status status = text ? stele_open(&options, &db) : STELE_NOMEM;
  st_free(text);
  if (status == STELE_OK) return db;
  st_fail(a->call, status, NULL, "%s", db ? stele_error(db)->message : "out of memory");
  stele_close(db);
  return NULL;
}

static void make_stores(admin *a, const char *name, void (*tell)(st_call *call, const char *name, const st_opened *store)) {
  stele_db *db = st_ok(a->call) ? open_as(a, name) : NULL;
  for (int i = 0; db && i < st_registry.nstores && st_ok(a->call); i++) {
    st_opened *opened;
    if (st_handle_store(db, i, a->call->error, &opened)) tell(a->call, name, opened);
  }
  stele_close(db);
}

/* ---- create ---- */

/* $1 name, $2 stores, $3 password or null, $4 milliseconds, $5 connections. */
static const char CREATE[] =
    "SELECT todo.sql FROM (SELECT 1 AS part, line.place, pg_catalog.format(line.sql, $1::text, $3::text, $4::bigint, $5::bigint) AS sql FROM (VALUES"
    " (1, NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = $1::text), 'CREATE ROLE %1$I'),"
    " (2, true, 'ALTER ROLE %1$I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT %4$s'),"
    " (3, $3::text IS NOT NULL, 'ALTER ROLE %1$I PASSWORD %2$L'),"
    " (4, true, 'ALTER ROLE %1$I SET statement_timeout = %3$L'),"
    " (5, true, 'ALTER ROLE %1$I SET idle_in_transaction_session_timeout = %3$L'),"
    " (6, true, 'COMMENT ON ROLE %1$I IS ' || pg_catalog.quote_literal(" MARK ")),"
    " (7, NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user), 'GRANT %1$I TO CURRENT_USER'),"
    " (8, pg_catalog.has_schema_privilege('public', 'public', 'CREATE'), 'REVOKE CREATE ON SCHEMA public FROM PUBLIC')"
    ") AS line(place, wanted, sql) WHERE line.wanted "
    "UNION ALL "
    "SELECT 2, line.place, pg_catalog.format(line.sql, s.name, $1::text, " RAW_ROLE ") FROM " SCHEMAS ", (VALUES"
    " (1, 'CREATE SCHEMA IF NOT EXISTS %1$I AUTHORIZATION %2$I'),"
    " (2, 'REVOKE ALL ON SCHEMA %1$I FROM PUBLIC'),"
    " (3, 'DO $do$ BEGIN CREATE ROLE %3$I NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $do$'),"
    " (4, 'GRANT %3$I TO %2$I')"
    ") AS line(place, sql)) AS todo ORDER BY todo.part, todo.place";

/* A role of that name that is somebody else's is not taken over. */
static void must_be_free(admin *a, const st_value *name) {
  static const char sql[] =
      "SELECT 1 FROM pg_catalog.pg_roles AS r WHERE r.rolname = $1::text AND pg_catalog.shobj_description(r.oid, 'pg_authid')"
      " IS DISTINCT FROM " MARK;
  if (!st_ok(a->call)) return;
  each_row(a, sql, (const st_value *const[]){name}, 1, found_one);
  if (st_ok(a->call) && a->call->changed[0])
    st_fail(a->call, STELE_INVALID, "name", "the name %s is that of a role which is no tenant of this database", name->bytes);
  a->call->changed[0] = 0;
}

static void tell_made(st_call *call, const char *name, const st_opened *store) {
  (void)name;
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_STELE_CREATE_TENANT_STORE] = st_textz(store->store->name);
  row[ST_R_STELE_CREATE_TENANT_SCHEMA] = st_textz(st_call_copy(call, store->schema, strlen(store->schema)));
  row[ST_R_STELE_CREATE_TENANT_VERSION] = st_int(store->store->version);
}

void st_stele_create_tenant(st_call *call) {
  admin a = {0};
  st_value name = tenant_name(call, ST_P_STELE_CREATE_TENANT_NAME), stores = store_names(call);
  st_value password = st_textz(st_arg_text(call, ST_P_STELE_CREATE_TENANT_PASSWORD));
  st_value timeout = st_int((int64_t)(st_arg_real(call, ST_P_STELE_CREATE_TENANT_TIMEOUT) * 1000));
  st_value connections = st_int(st_arg_int(call, ST_P_STELE_CREATE_TENANT_CONNECTIONS));
  if (st_ok(call) && admin_open(&a, call)) {
    must_be_free(&a, &name);
    run_written(&a, CREATE, (const st_value *const[]){&name, &stores, &password, &timeout, &connections}, 5);
    make_stores(&a, name.bytes, tell_made);
  }
  admin_close(&a);
}

/* ---- list and migrate ---- */

static void tell_tenant(admin *a, st_prepared *prepared) {
  st_value *row = st_reply(a->call);
  for (size_t i = 0; row && i < a->call->method->public.nresults; i++) {
    prepared->conn->driver->column(prepared, i, &row[i]);
    if (row[i].type == ST_TEXT) row[i] = st_call_text(a->call, row[i].bytes, row[i].length);
  }
}

/* $1 stores. */
static const char LIST[] =
    "SELECT r.rolname::text, r.rolcanlogin, (SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity AS v WHERE v.usesysid = r.oid),"
    " (SELECT pg_catalog.count(*) FROM pg_catalog.pg_namespace AS n WHERE n.nspname IN (SELECT r.rolname || '_' || s FROM pg_catalog.unnest($1::text[]) AS s)),"
    " (SELECT coalesce(pg_catalog.sum(pg_catalog.pg_total_relation_size(c.oid)), 0)::bigint FROM pg_catalog.pg_class AS c"
    " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'm')"
    " AND n.nspname IN (SELECT r.rolname || '_' || s FROM pg_catalog.unnest($1::text[]) AS s)) " TENANTS " ORDER BY r.rolname COLLATE \"C\"";

void st_stele_list_tenants(st_call *call) {
  admin a = {0};
  st_value stores = store_names(call);
  if (st_ok(call) && admin_open(&a, call)) each_row(&a, LIST, (const st_value *const[]){&stores}, 1, tell_tenant);
  admin_close(&a);
}

static void tell_migrated(st_call *call, const char *name, const st_opened *store) {
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_STELE_MIGRATE_TENANTS_TENANT] = st_call_text(call, name, strlen(name));
  row[ST_R_STELE_MIGRATE_TENANTS_STORE] = st_textz(store->store->name);
  row[ST_R_STELE_MIGRATE_TENANTS_VERSION] = st_int(store->store->version);
}

static void migrate_tenant(admin *a, st_prepared *prepared) {
  st_value name;
  prepared->conn->driver->column(prepared, 0, &name);
  make_stores(a, name.bytes, tell_migrated);
}

void st_stele_migrate_tenants(st_call *call) {
  admin a = {0};
  bool one = st_has(call, ST_P_STELE_MIGRATE_TENANTS_NAME);
  st_value name = one ? tenant_name(call, ST_P_STELE_MIGRATE_TENANTS_NAME) : (st_value){.type = ST_NULL};
  if (st_ok(call) && admin_open(&a, call)) {
    if (one) must_exist(&a, &name);
    if (st_ok(call))
      each_row(&a, "SELECT r.rolname::text " TENANTS " AND ($1::text IS NULL OR r.rolname = $1::text) ORDER BY r.rolname COLLATE \"C\"",
               (const st_value *const[]){&name}, 1, migrate_tenant);
  }
  admin_close(&a);
}

/* ---- revoke and drop ---- */

static void count_ended(admin *a, st_prepared *prepared) {
  st_value ended;
  prepared->conn->driver->column(prepared, 0, &ended);
  a->call->changed[0] = ended.integer;
}

static void shut_out(admin *a, const st_value *name) {
  const st_value *const params[] = {name};
  run_written(a, "SELECT pg_catalog.format('ALTER ROLE %I NOLOGIN', $1::text)", params, 1);
  if (st_ok(a->call))
    each_row(a, "SELECT pg_catalog.count(pg_catalog.pg_terminate_backend(pid)) FROM pg_catalog.pg_stat_activity WHERE usename = $1::text", params, 1,
             count_ended);
}

void st_stele_revoke_tenant(st_call *call) {
  admin a = {0};
  st_value name = tenant_name(call, ST_P_STELE_REVOKE_TENANT_NAME);
  if (st_ok(call) && admin_open(&a, call)) {
    must_exist(&a, &name);
    if (st_ok(call)) shut_out(&a, &name);
    st_value *row = st_reply(call);
    if (row) row[ST_R_STELE_REVOKE_TENANT_ENDED] = st_int(call->changed[0]);
  }
  admin_close(&a);
}

/* $1 name, $2 stores.  The schemas with all in them, what the role owns elsewhere in this database, the roles of raw SQL, the role. */
static const char DROP[] =
    "SELECT todo.sql FROM (SELECT line.place, pg_catalog.format(line.sql, s.name, " RAW_ROLE ") AS sql FROM " SCHEMAS
    " JOIN pg_catalog.pg_roles AS raw ON raw.rolname = " RAW_ROLE ", (VALUES (1, 'DROP SCHEMA IF EXISTS %1$I CASCADE'), (2, 'DROP OWNED BY %2$I'),"
    " (3, 'DROP ROLE %2$I')) AS line(place, sql) "
    "UNION ALL "
    "SELECT line.place, pg_catalog.format(line.sql, $1::text) FROM (VALUES (4, 'DROP OWNED BY %1$I'), (5, 'DROP ROLE %1$I')) AS line(place, sql)"
    ") AS todo ORDER BY todo.place";

void st_stele_drop_tenant(st_call *call) {
  admin a = {0};
  st_value name = tenant_name(call, ST_P_STELE_DROP_TENANT_NAME), stores = store_names(call);
  if (st_ok(call) && strcmp(name.bytes, st_arg_text(call, ST_P_STELE_DROP_TENANT_CONFIRM)) != 0)
    st_fail(call, STELE_INVALID, "confirm", "confirm must be the name of the tenant: %s", name.bytes);
  if (st_ok(call) && admin_open(&a, call)) {
    must_exist(&a, &name);
    if (st_ok(call)) shut_out(&a, &name);
    run_written(&a, DROP, (const st_value *const[]){&name, &stores}, 2);
    st_value *row = st_reply(call);
    if (row) row[ST_R_STELE_DROP_TENANT_SCHEMAS] = st_int(st_registry.nstores);
  }
  admin_close(&a);
}
