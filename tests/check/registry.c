/* registry.c - does every statement of every method fit the databases it is meant for?
**
** Each (check/statements.h) is prepared on a fresh store of each engine, and on one with every feature; on SQLite also on one whose
** renamed columns have their other names.  Parameters, columns and read-only-ness must be those of the declaration. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "check/registry.h"
#include "engine/handle.h"
#include "engine/sqlite_driver.h"

#define SQL_MAX (1u << 20)

size_t result_count(const st_method *method) {
  size_t count = 0;
  for (size_t i = 0; i < method->public.nresults; i++) count += !method->changed || !method->changed[i];
  return count;
}

const stele_field *result_at(const st_method *method, size_t at) {
  for (size_t i = 0; i < method->public.nresults; i++) {
    if (method->changed && method->changed[i]) continue;
    if (at-- == 0) return &method->public.results[i];
  }
  return NULL;
}

/* Is the column called what the result is called, or what others call that column? */
static bool is_named(const subject *s, const char *column, const char *result) {
  const st_store *store = s->opened->store;
  if (strcmp(column, result) == 0) return true;
  for (uint16_t i = 0; i < store->nrenamed; i++)
    if (s->opened->conn->renamed >> i & 1 && strcmp(store->renamed[i].name, result) == 0 &&
        strcmp(store->renamed[i].also, column) == 0)
      return true;
  return false;
}

void check_columns(const subject *s, size_t count, const char *(*name)(const void *from, size_t i), const void *from) {
  size_t wanted = s->last ? result_count(s->method) : count;
  if (count != wanted) complain(s, "%zu columns, and %zu results are declared", count, wanted);
  for (size_t i = 0; s->last && i < count && i < wanted; i++)
    if (!is_named(s, name(from, i), result_at(s->method, i)->name))
      complain(s, "column %zu is %s, and the result is %s", i + 1, name(from, i), result_at(s->method, i)->name);
}

/* ---- SQLite ---- */

static const char *sqlite_name(const void *from, size_t i) {
  sqlite3_stmt *stmt;
  memcpy(&stmt, from, sizeof stmt);
  return sqlite3_column_name(stmt, (int)i);
}

/* Some rows of a source, and a page of it, are found by its key: the table is not read through, nor is anything sorted. */
static bool is_of_source(const st_method *method, const st_store *store, const st_findable **source) {
  for (uint16_t i = 0; i < store->nsources; i++)
    if (store->sources[i].page_method == method->id || store->sources[i].rows_method == method->id) {
      *source = &store->sources[i];
      return true;
    }
  return false;
}

static void check_plan(const subject *s, sqlite3 *db) {
  const st_findable *source;
  sqlite3_stmt *stmt = NULL;
  st_str sql;
  if (!is_of_source(s->method, s->opened->store, &source)) return;
  bool first = s->method->id == source->page_method && s->variant->nparams == 1; /* the first page: read in order */
  st_str_init(&sql, SQL_MAX);
  st_str_addf(&sql, "EXPLAIN QUERY PLAN %s", s->sql);
  if (sqlite3_prepare_v2(db, sql.text, -1, &stmt, NULL) != SQLITE_OK) complain(s, "%s", sqlite3_errmsg(db));
  while (stmt && sqlite3_step(stmt) == SQLITE_ROW) {
    const char *step = (const char *)sqlite3_column_text(stmt, 3);
    bool reads_all = strncmp(step, "SCAN ", 5) == 0 && !strstr(step, "VIRTUAL TABLE") && !strstr(step, "CONSTANT ROW");
    if ((reads_all && !first) || strstr(step, "TEMP B-TREE")) complain(s, "%s", step);
  }
  sqlite3_finalize(stmt);
  st_str_free(&sql);
}

void check_sqlite(const subject *s) {
  sqlite3 *db = ((st_sqlite *)s->opened->conn)->db;
  sqlite3_stmt *stmt = NULL;
  const char *rest = "";
  if (sqlite3_prepare_v2(db, s->sql, -1, &stmt, &rest) != SQLITE_OK) {
    complain(s, "%s", sqlite3_errmsg(db));
    return;
  }
  if (rest[strspn(rest, " \t\r\n;")]) complain(s, "more than one statement: %s", rest);
  if (sqlite3_bind_parameter_count(stmt) != s->variant->nparams)
    complain(s, "%d parameters, and %u are bound", sqlite3_bind_parameter_count(stmt), s->variant->nparams);
  if ((sqlite3_stmt_readonly(stmt) != 0) != s->statement->readonly)
    complain(s, "it %s, and is declared otherwise", sqlite3_stmt_readonly(stmt) ? "only reads" : "writes");
  check_columns(s, (size_t)sqlite3_column_count(stmt), sqlite_name, &stmt);
  check_plan(s, db);
  sqlite3_finalize(stmt);
}

/* Give the columns that others name differently their other names. */
static bool rename_columns(const char *home) {
  bool good = true;
  for (uint16_t i = 0; i < st_registry.nstores; i++) {
    const st_store *store = &st_registry.stores[i];
    char path[4096], sql[500];
    sqlite3 *db = NULL;
    snprintf(path, sizeof path, "%s/%s", home, store->file);
    good = good && sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK;
    for (uint16_t n = 0; good && n < store->nrenamed; n++) {
      const st_renamed *column = &store->renamed[n];
      snprintf(sql, sizeof sql, "ALTER TABLE %s RENAME COLUMN %s TO %s", column->table, column->name, column->also);
      good = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    }
    sqlite3_close(db);
  }
  return good;
}

static void check(const subject *s) {
  if (s->method->access == ST_ACCESS_READ && !s->statement->readonly) complain(s, "a reading method with a writing statement");
  if (s->opened->driver->engine == ST_SQLITE) check_sqlite(s);
#ifdef STELE_POSTGRES
  if (s->opened->driver->engine == ST_POSTGRES) check_postgres(s);
#endif
}

static void check_with_features(st_opened *opened, const char *engine) {
  char label[100];
  if (opened->store->nfeatures == 0) return;
  snprintf(label, sizeof label, "%s, with features", engine);
  if (make_features(opened))
    each_statement(opened, label, check);
  else
    point(false, label, opened->conn->problem);
}

static void check_all(stele_db *db, const char *engine) {
  for (uint16_t i = 0; db && i < st_registry.nstores; i++) each_statement(&db->stores[i], engine, check);
  for (uint16_t i = 0; db && i < st_registry.nstores; i++) check_with_features(&db->stores[i], engine);
}

static void check_home(const char *home, const char *engine) {
  stele_db *db = open_all(home, NULL, 0, engine);
  check_all(db, engine);
  stele_close(db);
}

static void check_on_sqlite(const char *directory) {
  char home[4200];
  snprintf(home, sizeof home, "%s/home", directory);
  check_home(home, "sqlite");
  if (rename_columns(home))
    check_home(home, "sqlite, renamed columns");
  else
    point(false, "sqlite, renamed columns", "they can be renamed");
}

int main(void) {
  char directory[4096];
  if (!make_directory(directory, sizeof directory)) return 1;
  check_on_sqlite(directory);
  remove_directory(directory);
#ifdef STELE_POSTGRES
  stele_db *db = open_on_postgres();
  check_all(db, "postgres");
  close_on_postgres(db);
#endif
  return failed_points() > 0;
}
