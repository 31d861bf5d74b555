/* sqlite_look.c - what a SQLite file is: its version mark, its shape, its size, its definitions. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/sqlite_driver.h"

/* One number from a query; found tells whether there was a row with one. */
static int64_t number(st_sqlite *conn, const char *sql, const char *text, bool *found, int *code) {
  sqlite3_stmt *stmt = NULL;
  int64_t value = 0;
  *found = false;
  *code = sqlite3_prepare_v2(conn->db, sql, -1, &stmt, NULL);
  if (*code == SQLITE_OK && text) *code = sqlite3_bind_text(stmt, 1, text, -1, SQLITE_STATIC);
  if (*code == SQLITE_OK) *code = sqlite3_step(stmt);
  if (*code == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL) {
    *found = true;
    value = sqlite3_column_int64(stmt, 0);
  }
  if (*code == SQLITE_ROW || *code == SQLITE_DONE) *code = SQLITE_OK;
  sqlite3_finalize(stmt);
  return value;
}

/* Two questions about a file, prepared once. */
typedef struct questions {
  sqlite3_stmt *column; /* has the table ?1 a column ?2? */
  sqlite3_stmt *name;   /* is anything called ?1? */
  int code;
} questions;

static bool has(void *from, const char *name, const char *column) {
  questions *q = from;
  sqlite3_stmt *stmt = column ? q->column : q->name;
  if (q->code != SQLITE_OK) return false;
  sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
  if (column) sqlite3_bind_text(stmt, 2, column, -1, SQLITE_STATIC);
  int code = sqlite3_step(stmt);
  if (code != SQLITE_ROW && code != SQLITE_DONE) q->code = code;
  sqlite3_reset(stmt);
  return code == SQLITE_ROW;
}

static questions ask(st_sqlite *conn) {
  questions q = {NULL, NULL, SQLITE_OK};
  q.code = sqlite3_prepare_v2(conn->db, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2", -1, &q.column, NULL);
  if (q.code == SQLITE_OK)
    q.code = sqlite3_prepare_v2(conn->db, "SELECT 1 FROM sqlite_master WHERE name = ?1", -1, &q.name, NULL);
  return q;
}

static int answered(questions *q) {
  sqlite3_finalize(q->column);
  sqlite3_finalize(q->name);
  return q->code;
}

static int look_shape(st_sqlite *conn, st_look *look) {
  questions q = ask(conn);
  st_file file = {conn->base.store, ST_SQLITE, has, &q};
  if (q.code == SQLITE_OK && look->version == file.store->version)
    st_look_shape(&file, look);
  else if (q.code == SQLITE_OK)
    st_look_older(&file, look);
  return answered(&q);
}

static const char *const TABLE_EXISTS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";

/* The version as the file tells it; *found is false when it does not. */
static int read_mark(st_sqlite *conn, int *version, bool *found) {
  const st_store *store = conn->base.store;
  int code = SQLITE_OK;
  char sql[200];
  switch (store->mark) {
    case ST_MARK_USER_VERSION:
      *version = (int)number(conn, "PRAGMA user_version", NULL, found, &code);
      *found = *version != 0;
      return code;
    case ST_MARK_TABLE:
      number(conn, TABLE_EXISTS, store->mark_table, found, &code);
      if (code != SQLITE_OK || !*found) return code;
      snprintf(sql, sizeof sql, "SELECT max(%s) FROM %s", store->mark_column, store->mark_table);
      *version = (int)number(conn, sql, NULL, found, &code);
      return code;
    case ST_MARK_SHAPE:
      *version = 1; /* by its shape; a later version is written down */
      number(conn, TABLE_EXISTS, "stele_meta", found, &code);
      if (code != SQLITE_OK || !*found) {
        *found = true;
        return code;
      }
      int64_t noted = number(conn, "SELECT CAST(value AS INTEGER) FROM stele_meta WHERE key = 'version'", NULL, found, &code);
      if (*found) *version = (int)noted;
      *found = true;
      return code;
  }
  return code;
}

static stele_status look_around(st_sqlite *conn, st_look *look) {
  st_conn *base = &conn->base;
  bool found = false;
  int code = SQLITE_OK;
  memset(look, 0, sizeof *look);
  int64_t tables = number(conn, "SELECT count(*) FROM sqlite_master WHERE type = 'table'", NULL, &found, &code);
  if (code == SQLITE_OK) code = read_mark(conn, &look->version, &found);
  if (code != SQLITE_OK) return st_sqlite_fail(conn, code);
  if (tables == 0 && (!found || base->store->mark == ST_MARK_SHAPE)) {
    look->fresh = true;
    look->version = 0;
    return STELE_OK;
  }
  if (!found)
    snprintf(look->foreign, sizeof look->foreign, "it has tables, but no version mark");
  else if (tables == 0)
    snprintf(look->foreign, sizeof look->foreign, "it is marked version %d, but has no table", look->version);
  else if (look->version <= base->store->version && (code = look_shape(conn, look)) != SQLITE_OK)
    return st_sqlite_fail(conn, code);
  base->renamed = look->renamed;
  return STELE_OK;
}

bool st_sqlite_definitions(st_conn *base, int64_t *number) {
  st_sqlite *conn = (st_sqlite *)base;
  if (sqlite3_txn_state(conn->db, "main") == SQLITE_TXN_WRITE) return false;
  if (!conn->definitions &&
      sqlite3_prepare_v3(conn->db, "PRAGMA schema_version", -1, SQLITE_PREPARE_PERSISTENT, &conn->definitions, NULL) != SQLITE_OK)
    return false;
  bool told = sqlite3_step(conn->definitions) == SQLITE_ROW;
  if (told) *number = sqlite3_column_int64(conn->definitions, 0);
  sqlite3_reset(conn->definitions);
  return told;
}

stele_status st_sqlite_probe(st_conn *base, const char *table, const char *column, bool *found) {
  st_sqlite *conn = (st_sqlite *)base;
  questions q = ask(conn);
  *found = has(&q, table, column);
  int code = answered(&q);
  return code == SQLITE_OK ? STELE_OK : st_sqlite_fail(conn, code);
}

/* In one transaction, or tables and mark could be those of two different moments. */
stele_status st_sqlite_look(st_conn *base, st_look *look) {
  st_sqlite *conn = (st_sqlite *)base;
  bool own = sqlite3_get_autocommit(conn->db) != 0;
  stele_status status = own ? st_sqlite_begin(base, false) : STELE_OK;
  if (status == STELE_OK) status = look_around(conn, look);
  if (own) st_sqlite_rollback(base);
  return status;
}

stele_status st_sqlite_mark(st_conn *base, int version) {
  const st_store *store = base->store;
  char sql[300];
  switch (store->mark) {
    case ST_MARK_USER_VERSION: snprintf(sql, sizeof sql, "PRAGMA user_version = %d", version); break;
    case ST_MARK_TABLE:
      snprintf(sql, sizeof sql, "DELETE FROM %s; INSERT INTO %s (%s) VALUES (%d)", store->mark_table, store->mark_table,
               store->mark_column, version);
      break;
    default:
      if (version == 1) return STELE_OK; /* the shape says so */
      snprintf(sql, sizeof sql,
               "CREATE TABLE IF NOT EXISTS stele_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
               "INSERT OR REPLACE INTO stele_meta VALUES ('version', '%d')",
               version);
  }
  return st_sqlite_script(base, sql);
}

stele_status st_sqlite_schema(st_conn *base,
                              void (*add)(void *to, const char *type, const char *name, const char *table,
                                          const char *ddl),
                              void *to) {
  st_sqlite *conn = (st_sqlite *)base;
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(conn->db,
                                "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL "
                                "AND substr(name, 1, 7) <> 'sqlite_' "
                                "ORDER BY tbl_name, type = 'table' DESC, type, name",
                                -1, &stmt, NULL);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(stmt);
    if (code == SQLITE_ROW)
      add(to, (const char *)sqlite3_column_text(stmt, 0), (const char *)sqlite3_column_text(stmt, 1),
          (const char *)sqlite3_column_text(stmt, 2), (const char *)sqlite3_column_text(stmt, 3));
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? STELE_OK : st_sqlite_fail(conn, code);
}

static int64_t file_size(const char *path, const char *suffix) {
  struct stat found;
  char name[4096];
  if (snprintf(name, sizeof name, "%s%s", path, suffix) >= (int)sizeof name) return 0;
  return stat(name, &found) == 0 ? found.st_size : 0;
}

stele_status st_sqlite_size(st_conn *base, int64_t *bytes, int64_t *wal_bytes) {
  st_sqlite *conn = (st_sqlite *)base;
  bool found = false;
  int code = SQLITE_OK;
  if (conn->memory) {
    *bytes = number(conn, "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()", NULL, &found, &code);
    *wal_bytes = 0;
    return code == SQLITE_OK ? STELE_OK : st_sqlite_fail(conn, code);
  }
  *wal_bytes = file_size(conn->path, "-wal");
  *bytes = file_size(conn->path, "") + *wal_bytes + file_size(conn->path, "-shm");
  return STELE_OK;
}

stele_status st_sqlite_shrink(st_conn *base) { return st_sqlite_script(base, "PRAGMA incremental_vacuum"); }
