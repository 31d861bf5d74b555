/* sqlite_contents.c - reads all of a SQLite file: see contents.h. */
#include <stdio.h>
#include <string.h>

#include "engine/sqlite_driver.h"

#define ROWS_PER_LOOK 4096 /* between two questions whether to go on */

/* The same bytes on every machine. */
static void add_number(st_sha256 *sum, unsigned char type, uint64_t number) {
  unsigned char bytes[9] = {type};
  for (int i = 0; i < 8; i++) bytes[1 + i] = (unsigned char)(number >> (8 * i));
  st_sha256_add(sum, bytes, sizeof bytes);
}

/* A value with its type and length before it, so that no two rows make the same bytes. */
static void add_value(st_sha256 *sum, sqlite3_stmt *stmt, int column) {
  unsigned char type = (unsigned char)sqlite3_column_type(stmt, column);
  double real = sqlite3_column_double(stmt, column);
  uint64_t number = (uint64_t)sqlite3_column_int64(stmt, column);
  if (type == SQLITE_FLOAT) memcpy(&number, &real, sizeof number);
  if (type != SQLITE_TEXT && type != SQLITE_BLOB) {
    add_number(sum, type, type == SQLITE_NULL ? 0 : number);
    return;
  }
  const void *bytes = sqlite3_column_blob(stmt, column);
  size_t length = (size_t)sqlite3_column_bytes(stmt, column);
  if (length && !bytes) sum->failed = true; /* no memory for it */
  add_number(sum, type, length);
  if (length) st_sha256_add(sum, bytes, length);
}

/* In the order of the table itself, whatever indexes there are; with the row's number, unless the table has none. */
static int prepare_all(sqlite3 *db, const char *table, sqlite3_stmt **out) {
  static const char *const forms[] = {"SELECT _rowid_, * FROM \"%w\" NOT INDEXED", "SELECT * FROM \"%w\" NOT INDEXED"};
  int code = SQLITE_ERROR;
  for (size_t i = 0; i < sizeof forms / sizeof *forms && code == SQLITE_ERROR; i++) {
    char *sql = sqlite3_mprintf(forms[i], table);
    code = sql ? sqlite3_prepare_v2(db, sql, -1, out, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
  }
  return code;
}

static int read_table(sqlite3 *db, st_table_contents *table, const st_watch *watch) {
  sqlite3_stmt *stmt = NULL;
  st_sha256 sum;
  int code = prepare_all(db, table->name, &stmt);
  if (code != SQLITE_OK) return code;
  st_sha256_begin(&sum);
  while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(stmt); i++) add_value(&sum, stmt, i);
    if (++table->rows % ROWS_PER_LOOK == 0 && st_watch_stops(watch, "verify", table->rows, 0)) break;
  }
  bool summed = st_sha256_end(&sum, table->sha256);
  sqlite3_finalize(stmt);
  if (code == SQLITE_ROW) return SQLITE_INTERRUPT;
  if (code != SQLITE_DONE) return code;
  return summed ? SQLITE_OK : SQLITE_NOMEM;
}

/* Virtual tables have nothing of their own: what they keep is in tables too. */
static int list_tables(sqlite3 *db, st_contents *out) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name", -1, &stmt, NULL);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(stmt);
    const char *name = code == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    if (code == SQLITE_ROW && (!name || !st_contents_add(out, name))) code = SQLITE_NOMEM;
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int st_sqlite_contents(sqlite3 *db, const st_watch *watch, st_contents *out) {
  *out = (st_contents){NULL, 0};
  int code = list_tables(db, out);
  for (size_t i = 0; i < out->count && code == SQLITE_OK; i++) code = read_table(db, &out->tables[i], watch);
  if (code != SQLITE_OK) st_contents_free(out);
  return code;
}

int st_sqlite_open_copy(const char *path, sqlite3 **out) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/";
  char uri[3 * 4096 + 32] = "file:";
  size_t at = strlen(uri);
  for (; *path && at < sizeof uri - 20; path++)
    at += (size_t)snprintf(uri + at, sizeof uri - at, strchr(plain, *path) ? "%c" : "%%%02X", (unsigned char)*path);
  snprintf(uri + at, sizeof uri - at, "?immutable=1");
  return sqlite3_open_v2(uri, out, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
}

static stele_status judge(sqlite3 *db, int code) {
  return code == SQLITE_ERROR && st_sqlite_undefined(sqlite3_errmsg(db)) ? STELE_CORRUPT : st_sqlite_status(code);
}

stele_status st_sqlite_whole(sqlite3 *db, char problem[400]) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(db, "PRAGMA integrity_check(1)", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : sqlite3_errmsg(db);
  stele_status status = STELE_OK;
  if (code != SQLITE_ROW || !text) /* not read is not damaged */
    status = code == SQLITE_ROW ? STELE_NOMEM : judge(db, code);
  else if (strcmp(text, "ok") != 0)
    status = STELE_CORRUPT;
  if (status != STELE_OK)
    snprintf(problem, 400, "%s: %s", status == STELE_CORRUPT && code == SQLITE_ROW ? "the copy is damaged" : "the copy cannot be read back",
             text ? text : "out of memory");
  sqlite3_finalize(stmt);
  return status;
}

stele_status st_sqlite_verify(const char *path, const st_contents *wanted, const st_watch *watch, char problem[400]) {
  sqlite3 *copy = NULL;
  st_contents found = {NULL, 0};
  int code = st_sqlite_open_copy(path, &copy);
  stele_status status = code == SQLITE_OK ? st_sqlite_whole(copy, problem) : st_sqlite_status(code);
  if (code != SQLITE_OK) snprintf(problem, 400, "the copy cannot be opened: %s", sqlite3_errstr(code));
  if (status == STELE_OK && wanted && (code = st_sqlite_contents(copy, watch, &found)) != SQLITE_OK) {
    status = code == SQLITE_INTERRUPT ? STELE_CANCELLED : judge(copy, code);
    snprintf(problem, 400, code == SQLITE_INTERRUPT ? "it was stopped" : "the copy cannot be read back: %s", sqlite3_errmsg(copy));
  } else if (status == STELE_OK && wanted && st_contents_differ(wanted, &found)) {
    status = STELE_CORRUPT;
    snprintf(problem, 400, "the copy is not what was copied: the table %.100s differs", st_contents_differ(wanted, &found));
  }
  st_contents_free(&found);
  sqlite3_close(copy);
  return status;
}
