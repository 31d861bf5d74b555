/* sqlite_stmt.c - statements on a SQLite connection: prepare, bind, step, read. */
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "engine/sqlite_driver.h"

typedef struct prepared {
  st_prepared base;
  sqlite3_stmt *stmt;
  st_str list; /* scratch for the JSON text of a bound list */
} prepared;

#define LISTS_MAX (64u << 20)

static st_sqlite *conn_of(st_prepared *base) { return (st_sqlite *)base->conn; }

/* A statement of Stele's own misses something only in a file whose definitions are damaged: what is there was looked at when it
** was opened.  The pages may be good, and methods that use other tables go on working, so writing is not stopped. */
static stele_status fail(st_sqlite *conn, int code) {
  char problem[sizeof conn->base.problem];
  stele_status status = st_sqlite_fail(conn, code);
  if (status != STELE_INTERNAL || conn->confined || !st_sqlite_undefined(conn->base.problem)) return status;
  memcpy(problem, conn->base.problem, sizeof problem);
  return st_conn_fail(&conn->base, STELE_CORRUPT, "the definitions in the file are damaged: %.300s", problem);
}

static bool changes_schema(const char *sql) {
  return strstr(sql, "CREATE ") || strstr(sql, "ALTER ") || strstr(sql, "DROP ");
}

stele_status st_sqlite_script(st_conn *base, const char *sql) {
  st_sqlite *conn = (st_sqlite *)base;
  bool schema = changes_schema(sql);
  int code = SQLITE_OK;
  while (code == SQLITE_OK && sql[strspn(sql, " \t\r\n;")]) {
    sqlite3_stmt *stmt = NULL;
    code = sqlite3_prepare_v2(conn->db, sql, -1, &stmt, &sql);
    if (stmt) {
      while ((code = sqlite3_step(stmt)) == SQLITE_ROW) continue;
      code = sqlite3_finalize(stmt);
    }
  }
  if (code == SQLITE_OK && schema) code = st_sqlite_ready(conn, true);
  return code == SQLITE_OK ? STELE_OK : fail(conn, code);
}

stele_status st_sqlite_prepare_first(st_conn *base, const char *sql, const char **rest, st_prepared **out) {
  st_sqlite *conn = (st_sqlite *)base;
  prepared *p = st_alloc_zero(sizeof *p);
  *out = NULL;
  if (!p) return st_conn_fail(base, STELE_NOMEM, "out of memory");
  p->base.conn = base;
  st_str_init(&p->list, LISTS_MAX);
  int code = sqlite3_prepare_v3(conn->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &p->stmt, rest);
  if (code != SQLITE_OK) {
    st_free(p);
    return fail(conn, code);
  }
  *out = &p->base;
  return STELE_OK;
}

stele_status st_sqlite_prepare(st_conn *base, const char *sql, st_prepared **out) {
  return st_sqlite_prepare_first(base, sql, NULL, out);
}

sqlite3_stmt *st_sqlite_stmt(st_prepared *base) { return ((prepared *)base)->stmt; }

void st_sqlite_finalize(st_prepared *base) {
  prepared *p = (prepared *)base;
  if (!p) return;
  sqlite3_finalize(p->stmt);
  st_str_free(&p->list);
  st_free(p);
}

/* A list is bound as a JSON array, for json_each(). */
static void add_list(st_str *out, const st_value *list) {
  st_str_addc(out, '[');
  for (uint32_t i = 0; i < list->count; i++) {
    const st_value *item = &list->items[i];
    if (i) st_str_addc(out, ',');
    if (item->type == ST_INT)
      st_json_add_int(out, item->integer);
    else if (item->type == ST_REAL)
      st_json_add_real(out, item->real);
    else if (item->type == ST_TEXT)
      st_json_add_string(out, item->bytes, item->length);
    else
      st_str_addz(out, "null");
  }
  st_str_addc(out, ']');
}

static int bind(prepared *p, int at, const st_value *value) {
  switch (value->type) {
    case ST_INT: return sqlite3_bind_int64(p->stmt, at, value->integer);
    case ST_REAL: return sqlite3_bind_double(p->stmt, at, value->real);
    case ST_TEXT: return sqlite3_bind_text64(p->stmt, at, value->bytes, value->length, SQLITE_STATIC, SQLITE_UTF8);
    case ST_BLOB: return sqlite3_bind_blob64(p->stmt, at, value->bytes, value->length, SQLITE_STATIC);
    case ST_LIST: {
      st_str_clear(&p->list);
      add_list(&p->list, value);
      if (p->list.failed) return SQLITE_NOMEM;
      return sqlite3_bind_text64(p->stmt, at, p->list.text, p->list.length, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    default: return sqlite3_bind_null(p->stmt, at);
  }
}

stele_status st_sqlite_start(st_prepared *base, const st_value *const *params, size_t count) {
  prepared *p = (prepared *)base;
  int code = SQLITE_OK;
  for (size_t i = 0; i < count && code == SQLITE_OK; i++) code = bind(p, (int)i + 1, params[i]);
  if (code == SQLITE_NOMEM) return st_conn_fail(base->conn, STELE_NOMEM, "out of memory");
  return code == SQLITE_OK ? STELE_OK : fail(conn_of(base), code);
}

stele_status st_sqlite_step(st_prepared *base) {
  int code = sqlite3_step(((prepared *)base)->stmt);
  if (code == SQLITE_ROW) return STELE_ROW;
  return code == SQLITE_DONE ? STELE_DONE : fail(conn_of(base), code);
}

size_t st_sqlite_columns(st_prepared *base) { return (size_t)sqlite3_column_count(((prepared *)base)->stmt); }

const char *st_sqlite_column_name(st_prepared *base, size_t column) {
  return sqlite3_column_name(((prepared *)base)->stmt, (int)column);
}

void st_sqlite_column(st_prepared *base, size_t column, st_value *out) {
  sqlite3_stmt *stmt = ((prepared *)base)->stmt;
  int at = (int)column;
  switch (sqlite3_column_type(stmt, at)) {
    case SQLITE_INTEGER:
      out->type = ST_INT;
      out->integer = sqlite3_column_int64(stmt, at);
      return;
    case SQLITE_FLOAT:
      out->type = ST_REAL;
      out->real = sqlite3_column_double(stmt, at);
      return;
    case SQLITE_TEXT:
      out->type = ST_TEXT;
      out->bytes = (const char *)sqlite3_column_text(stmt, at);
      out->length = (size_t)sqlite3_column_bytes(stmt, at);
      return;
    case SQLITE_BLOB:
      out->type = ST_BLOB;
      out->bytes = sqlite3_column_blob(stmt, at);
      out->length = (size_t)sqlite3_column_bytes(stmt, at);
      return;
    default: out->type = ST_NULL;
  }
}

int64_t st_sqlite_changes(st_prepared *base) {
  sqlite3_stmt *stmt = ((prepared *)base)->stmt;
  return sqlite3_stmt_readonly(stmt) ? 0 : sqlite3_changes64(conn_of(base)->db);
}

void st_sqlite_reset(st_prepared *base) {
  prepared *p = (prepared *)base;
  sqlite3_reset(p->stmt);
  sqlite3_clear_bindings(p->stmt);
}
