/* rows.c - rows of tables that belong to other programs (rows.h). */
#include "capture/rows.h"

#include "base/time.h"

#define STATEMENT_MAX 4096

bool st_has_column(sqlite3 *db, const char *table, const char *column) {
  return sqlite3_table_column_metadata(db, "main", table, column, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

bool st_has_columns(sqlite3 *db, const char *table, const char *const *columns) {
  for (; *columns; columns++)
    if (!st_has_column(db, table, *columns)) return false;
  return true;
}

static void tell_failure(st_tell *tell, sqlite3 *db) {
  tell->broken = true;
  if (sqlite3_errcode(db) == SQLITE_NOMEM) tell->stop = true;
  else st_tell_bad(tell, sqlite3_errmsg(db));
}

bool st_dbrows_begin(st_tell *tell, sqlite3 *db) {
  if (sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK) return true;
  tell_failure(tell, db);
  return false;
}

void st_dbrows_end(sqlite3 *db) {
  sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL); /* nothing was written */
}

st_dbrows st_dbrows_of(st_tell *tell, sqlite3 *db, const char *table, const char *const *columns, const char *rest) {
  st_dbrows rows = {.tell = tell};
  st_str sql;
  if (tell->stop) return rows;
  st_str_init(&sql, STATEMENT_MAX);
  st_str_addz(&sql, "SELECT ");
  for (const char *const *column = columns; *column; column++)
    st_str_addf(&sql, "%s%s", column == columns ? "" : ", ", st_has_column(db, table, *column) ? *column : "NULL");
  st_str_addf(&sql, " FROM %s %s", table, rest);
  if (sql.failed) tell->stop = true;
  else if (sqlite3_prepare_v2(db, sql.text, (int)sql.length, &rows.statement, NULL) != SQLITE_OK) tell_failure(tell, db);
  st_str_free(&sql);
  return rows;
}

void st_dbrows_bind_int(st_dbrows *rows, int parameter, int64_t value) {
  if (rows->statement) sqlite3_bind_int64(rows->statement, parameter, value);
}

void st_dbrows_bind_text(st_dbrows *rows, int parameter, st_text value) {
  if (rows->statement && sqlite3_bind_text64(rows->statement, parameter, value.bytes ? value.bytes : "", value.length,
                                             SQLITE_TRANSIENT, SQLITE_UTF8) == SQLITE_NOMEM)
    rows->tell->stop = true;
}

bool st_dbrows_next(st_dbrows *rows) {
  if (!rows->statement || rows->tell->stop) return false;
  int status = sqlite3_step(rows->statement);
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) tell_failure(rows->tell, sqlite3_db_handle(rows->statement));
  return false;
}

void st_dbrows_again(st_dbrows *rows) {
  if (rows->statement) sqlite3_reset(rows->statement);
}

void st_dbrows_close(st_dbrows *rows) {
  sqlite3_finalize(rows->statement);
  rows->statement = NULL;
}

st_text st_row_text(st_dbrows *rows, int column) {
  if (sqlite3_column_type(rows->statement, column) == SQLITE_NULL) return (st_text){0};
  const char *bytes = sqlite3_column_type(rows->statement, column) == SQLITE_BLOB
    ? sqlite3_column_blob(rows->statement, column)
    : (const char *)sqlite3_column_text(rows->statement, column);
  int length = sqlite3_column_bytes(rows->statement, column);
  if (!bytes) return (st_text){0}; /* an empty blob; memory that ran out is told by the next step */
  return st_tell_utf8(rows->tell, (st_text){bytes, (size_t)length});
}

int64_t st_row_int(st_dbrows *rows, int column) {
  return sqlite3_column_int64(rows->statement, column);
}

double st_row_real(st_dbrows *rows, int column) {
  return sqlite3_column_double(rows->statement, column);
}

#define SECONDS_MAX 1e11 /* as in telling.c */

double st_row_time(st_dbrows *rows, int column) {
  st_micros micros;
  if (sqlite3_column_type(rows->statement, column) == SQLITE_TEXT) {
    st_text text = st_row_text(rows, column);
    return st_time_parse(text.bytes, text.length, &micros) ? (double)micros / 1e6 : 0;
  }
  double number = st_row_real(rows, column);
  return number > SECONDS_MAX ? number / 1000 : number > 0 ? number : 0;
}

int64_t st_dbrows_kept(st_tell *tell, const char *name) {
  const st_str *state = tell->source->state;
  st_text json = {state->text, state->length};
  return st_is_json(json) ? st_pull_int(st_pull_get(json, name), 0) : 0;
}

/* A file has one such number; the state is that and nothing else.  Where reading stopped short, the old one holds. */
void st_dbrows_keep(st_tell *tell, const char *name, int64_t value) {
  st_str *state = tell->source->state;
  if (tell->stop || tell->broken) return;
  st_str_clear(state);
  st_str_addf(state, "{\"%s\":%lld}", name, (long long)value);
  if (state->failed) tell->stop = true;
}

bool st_dbrows_read(st_source *source, sqlite3 *db, void (*sessions)(st_tell *tell, sqlite3 *db),
                    int64_t (*messages)(st_tell *tell, sqlite3 *db, int64_t after)) {
  st_tell tell = {.source = source};
  if (!st_dbrows_begin(&tell, db)) return !tell.stop;
  sessions(&tell, db);
  st_dbrows_keep(&tell, "message", messages(&tell, db, st_dbrows_kept(&tell, "message")));
  st_dbrows_end(db);
  return !tell.stop;
}
