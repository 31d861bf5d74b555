/* sqlite_raw.c - raw statements on a SQLite connection, in the store's turn. */
#include <string.h>

#include "base/alloc.h"
#include "engine/raw.h"
#include "engine/sqlite_driver.h"

typedef struct raw {
  st_raw base;
  sqlite3_stmt *stmt;
  int reprepared; /* how often SQLite had prepared it anew when its columns were read */
  const char **params;
  const char **columns;
  stele_value *row;
} raw;

static st_sqlite *conn_of(raw *r) { return (st_sqlite *)r->base.conn; }

static stele_status fail(raw *r, int code) {
  r->base.code = code;
  return st_sqlite_fail(conn_of(r), code);
}

static int read_params(raw *r) {
  int count = sqlite3_bind_parameter_count(r->stmt);
  r->params = st_alloc_zero(((size_t)count + 1) * sizeof *r->params);
  if (!r->params) return SQLITE_NOMEM;
  for (int i = 0; i < count; i++) r->params[i] = sqlite3_bind_parameter_name(r->stmt, i + 1);
  r->base.info.nparams = (size_t)count;
  r->base.info.params = r->params;
  return SQLITE_OK;
}

/* Names and number of the columns.  They may be others after another statement has changed a table. */
static int read_columns(raw *r) {
  size_t count = (size_t)sqlite3_column_count(r->stmt);
  if (!r->columns || count != r->base.info.ncolumns) {
    st_free(r->columns);
    st_free(r->row);
    r->columns = st_alloc_zero((count + 1) * sizeof *r->columns);
    r->row = st_alloc_zero((count + 1) * sizeof *r->row);
    r->base.info.ncolumns = 0;
    if (!r->columns || !r->row) return SQLITE_NOMEM;
  }
  for (size_t i = 0; i < count; i++)
    if (!(r->columns[i] = sqlite3_column_name(r->stmt, (int)i))) return SQLITE_NOMEM;
  r->reprepared = sqlite3_stmt_status(r->stmt, SQLITE_STMTSTATUS_REPREPARE, 0);
  r->base.info.ncolumns = count;
  r->base.info.columns = r->columns;
  return SQLITE_OK;
}

static void raw_finalize(st_raw *base) {
  raw *r = (raw *)base;
  sqlite3_finalize(r->stmt);
  st_sqlite_end_turn(conn_of(r));
  st_free(r->params);
  st_free(r->columns);
  st_free(r->row);
  st_free(r);
}

static stele_status raw_prepare(st_conn *base, const char *text, size_t length, st_raw **out, int *code) {
  st_sqlite *conn = (st_sqlite *)base;
  const char *rest = text;
  raw *r = st_alloc_zero(sizeof *r);
  *out = NULL;
  if (!r) {
    *code = SQLITE_NOMEM;
    return st_conn_fail(base, STELE_NOMEM, "out of memory");
  }
  r->base.conn = base;
  /* Programs written for other builds of SQLite may write a text in double quotes; methods never do. */
  sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DQS_DML, 1, NULL);
  sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DQS_DDL, 1, NULL);
  *code = length > INT32_MAX ? SQLITE_TOOBIG : sqlite3_prepare_v2(conn->db, text, (int)length, &r->stmt, &rest);
  if (*code == SQLITE_OK && !r->stmt) {
    st_free(r);
    return STELE_OK;
  }
  if (*code == SQLITE_OK) *code = read_params(r);
  if (*code == SQLITE_OK) *code = read_columns(r);
  if (*code != SQLITE_OK) {
    stele_status status = *code == SQLITE_NOMEM ? st_conn_fail(base, STELE_NOMEM, "out of memory") : st_sqlite_fail(conn, *code);
    raw_finalize(&r->base);
    return status;
  }
  r->base.info.used = (size_t)(rest - text);
  r->base.info.writes = !sqlite3_stmt_readonly(r->stmt);
  *out = &r->base;
  return STELE_OK;
}

static int bind(sqlite3_stmt *stmt, int at, const stele_value *value) {
  switch (value->type) {
    case STELE_INT: return sqlite3_bind_int64(stmt, at, value->integer);
    case STELE_REAL: return sqlite3_bind_double(stmt, at, value->real);
    case STELE_TEXT: return sqlite3_bind_text64(stmt, at, value->bytes, value->length, SQLITE_TRANSIENT, SQLITE_UTF8);
    case STELE_BLOB: return sqlite3_bind_blob64(stmt, at, value->length ? value->bytes : "", value->length, SQLITE_TRANSIENT);
    default: return sqlite3_bind_null(stmt, at);
  }
}

static stele_status raw_bind(st_raw *base, const stele_value *values, size_t count) {
  raw *r = (raw *)base;
  int code = SQLITE_OK;
  for (size_t i = 0; i < count && code == SQLITE_OK; i++) code = bind(r->stmt, (int)i + 1, &values[i]);
  return code == SQLITE_OK ? STELE_OK : fail(r, code);
}

static int read_value(sqlite3_stmt *stmt, int at, stele_value *out) {
  memset(out, 0, sizeof *out);
  switch (sqlite3_column_type(stmt, at)) {
    case SQLITE_INTEGER: out->type = STELE_INT; out->integer = sqlite3_column_int64(stmt, at); return SQLITE_OK;
    case SQLITE_FLOAT: out->type = STELE_REAL; out->real = sqlite3_column_double(stmt, at); return SQLITE_OK;
    case SQLITE_NULL: return SQLITE_OK;
    case SQLITE_TEXT: out->type = STELE_TEXT; out->bytes = (const char *)sqlite3_column_text(stmt, at); break;
    default: out->type = STELE_BLOB; out->bytes = sqlite3_column_blob(stmt, at);
  }
  out->length = (size_t)sqlite3_column_bytes(stmt, at);
  return out->bytes || out->length == 0 ? SQLITE_OK : SQLITE_NOMEM;
}

static int read_row(raw *r) {
  int code = SQLITE_OK;
  for (size_t i = 0; i < r->base.info.ncolumns && code == SQLITE_OK; i++) code = read_value(r->stmt, (int)i, &r->row[i]);
  return code;
}

/* A statement that writes has the turn as long as it, or the transaction it is part of, may write. */
static stele_status raw_step(st_raw *base) {
  raw *r = (raw *)base;
  st_sqlite *conn = conn_of(r);
  base->info.row = NULL;
  if (base->info.writes && !conn->has_turn) {
    stele_status status = st_sqlite_take_turn(conn);
    base->code = status == STELE_BUSY        ? SQLITE_BUSY
                 : status == STELE_CANCELLED ? SQLITE_INTERRUPT
                 : status == STELE_READONLY  ? SQLITE_READONLY
                                             : SQLITE_IOERR;
    if (status != STELE_OK) return status;
  }
  int code = sqlite3_step(r->stmt), known = SQLITE_OK;
  if (sqlite3_stmt_status(r->stmt, SQLITE_STMTSTATUS_REPREPARE, 0) != r->reprepared) known = read_columns(r);
  if (known != SQLITE_OK) code = known;
  if (code == SQLITE_ROW && (code = read_row(r)) == SQLITE_OK) {
    base->info.row = r->row;
    return STELE_ROW;
  }
  if (code == SQLITE_DONE) {
    if (!sqlite3_stmt_busy(r->stmt)) st_sqlite_end_turn(conn);
    return STELE_DONE;
  }
  stele_status status = fail(r, code); /* in SQLite's words, before a reset changes them */
  sqlite3_reset(r->stmt);
  st_sqlite_end_turn(conn);
  return status;
}

static void raw_reset(st_raw *base) {
  raw *r = (raw *)base;
  sqlite3_reset(r->stmt);
  base->info.row = NULL;
  st_sqlite_end_turn(conn_of(r));
}

static void raw_state(st_conn *base, stele_sql_state *state) {
  sqlite3 *db = ((st_sqlite *)base)->db;
  state->in_transaction = !sqlite3_get_autocommit(db);
  state->changes = sqlite3_changes64(db);
  state->total_changes = sqlite3_total_changes64(db);
  state->last_rowid = sqlite3_last_insert_rowid(db);
}

const st_raw_driver st_raw_sqlite = {raw_prepare, raw_bind, raw_step, raw_reset, raw_finalize, raw_state};
