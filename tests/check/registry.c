/* registry.c - does every statement of every method fit the databases it is meant for?
**
** Each is assembled without its optional arguments, with each of them alone and with all, and is
** prepared on a fresh store of each engine; on SQLite also on one whose renamed columns have their
** other names.  Parameters, columns and read-only-ness must be those of the declaration.
** Prints TAP: one line per method and engine. */
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "check/registry.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "engine/sqlite_driver.h"

#define PARAMS_MAX 64
#define WRONG_MAX (1u << 20)

static int failures;

static void point(bool good, const char *engine, const char *name) {
  printf("%s - %s: %s\n", good ? "ok" : "not ok", engine, name);
  failures += !good;
}

void complain(const subject *s, const char *format, ...) {
  char line[2000];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  st_str_addf(s->wrong, "# %s\n", line);
}

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
  st_str_init(&sql, WRONG_MAX);
  st_str_addf(&sql, "EXPLAIN QUERY PLAN %s", s->sql);
  if (sqlite3_prepare_v2(db, sql.text, -1, &stmt, NULL) != SQLITE_OK) complain(s, "%s", sqlite3_errmsg(db));
  while (stmt && sqlite3_step(stmt) == SQLITE_ROW) {
    const char *step = (const char *)sqlite3_column_text(stmt, 3);
    bool reads_all = strncmp(step, "SCAN ", 5) == 0 && !strstr(step, "VIRTUAL TABLE");
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

/* ---- Every variant of every statement of every method ---- */

static void check_variant(subject *s, uint16_t number, const st_value *args) {
  st_variant variant = {0};
  st_engine engine = s->opened->driver->engine;
  size_t before = s->wrong->length;
  char *sql = st_variant_sql(s->method, engine, number, args, s->opened->store, s->opened->conn->renamed,
                             s->opened->features, &variant);
  if (!sql) abort();
  s->sql = sql;
  s->variant = &variant;
  s->statement = &s->method->statements[engine][number];
  s->last = number + 1 == s->method->nstatements[engine];
  if (s->method->access == ST_ACCESS_READ && !s->statement->readonly)
    complain(s, "a reading method with a writing statement");
  if (engine == ST_SQLITE) check_sqlite(s);
#ifdef STELE_POSTGRES
  if (engine == ST_POSTGRES) check_postgres(s);
#endif
  if (s->wrong->length > before)
    for (const char *line = sql; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
      complain(s, "    %.*s", (int)strcspn(line, "\n"), line);
  st_free(sql);
}

static void check_statement(subject *s, uint16_t number) {
  const st_statement *statement = &s->method->statements[s->opened->driver->engine][number];
  st_value args[PARAMS_MAX] = {{0}}, all[PARAMS_MAX] = {{0}};
  int optional = 0;
  check_variant(s, number, args);
  for (size_t param = 0; param < s->method->public.nparams; param++) {
    bool used = false;
    for (uint16_t i = 0; i < statement->npieces; i++) used = used || statement->pieces[i].when == (int)param;
    if (!used) continue;
    args[param].type = all[param].type = ST_NULL;
    check_variant(s, number, args);
    args[param].type = ST_ABSENT;
    optional++;
  }
  if (optional > 1) check_variant(s, number, all);
}

/* A method that needs a feature is run where it is there; one that reads, also where nobody may make it: by a handle
** that only reads. */
static bool can_be_run(const st_method *method, const st_opened *opened) {
  if (!(method->features & ~opened->features)) return true;
  return method->access == ST_ACCESS_READ && !method->private;
}

static void check_store(st_opened *opened, int store, const char *engine) {
  for (uint16_t i = 0; i < st_registry.nmethods; i++) {
    const st_method *method = &st_registry.methods[i];
    st_str wrong;
    if (method->store != store || !can_be_run(method, opened)) continue;
    st_str_init(&wrong, WRONG_MAX);
    subject s = {.opened = opened, .method = method, .wrong = &wrong};
    uint16_t count = method->nstatements[opened->driver->engine];
    if ((count == 0) != (method->native != NULL))
      complain(&s, "it has %u statements%s", count, method->native ? " and a function" : "");
    for (uint16_t n = 0; n < count; n++) check_statement(&s, n);
    point(wrong.length == 0, engine, method->public.name);
    if (wrong.length) fputs(wrong.text, stdout);
    st_str_free(&wrong);
  }
}

/* ---- Fresh stores ---- */

static stele_db *open_home(const char *home, const stele_place *places, size_t count) {
  stele_db *db = NULL;
  stele_options options = {.size = sizeof options, .home = home, .places = places, .nplaces = count};
  bool good = stele_open(&options, &db) == STELE_OK;
  for (uint16_t i = 0; good && i < st_registry.nstores; i++)
    good = stele_begin(db, st_registry.stores[i].name) == STELE_OK && stele_rollback(db) == STELE_OK;
  if (good) return db;
  printf("# %s\n", stele_error(db)->message);
  stele_close(db);
  return NULL;
}

/* Give a store every feature it can have. */
static bool make_features(st_opened *opened) {
  const st_driver *driver = opened->driver;
  bool good = true;
  for (uint16_t i = 0; i < opened->store->nfeatures && good; i++)
    if (!(opened->features >> i & 1))
      good = driver->script(opened->conn, opened->store->features[i].sql[driver->engine]) == STELE_OK;
  return good && st_features_look(opened) == STELE_OK;
}

static void check_with_features(st_opened *opened, int store, const char *engine) {
  char label[100];
  if (opened->store->nfeatures == 0) return;
  snprintf(label, sizeof label, "%s, with features", engine);
  if (make_features(opened))
    check_store(opened, store, label);
  else
    point(false, label, opened->conn->problem);
}

static void check_all(const char *home, const stele_place *places, size_t count, const char *engine) {
  stele_db *db = open_home(home, places, count);
  if (!db) point(false, engine, "the stores open");
  for (uint16_t i = 0; db && i < st_registry.nstores; i++) check_store(&db->stores[i], i, engine);
  for (uint16_t i = 0; db && i < st_registry.nstores; i++) check_with_features(&db->stores[i], i, engine);
#ifdef STELE_POSTGRES
  for (uint16_t i = 0; db && count && i < st_registry.nstores; i++) drop_schema(&db->stores[i]);
#endif
  stele_close(db);
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

static void check_on_sqlite(const char *directory) {
  char home[4096], command[4200];
  snprintf(home, sizeof home, "%s/home", directory);
  check_all(home, NULL, 0, "sqlite");
  if (rename_columns(home))
    check_all(home, NULL, 0, "sqlite, renamed columns");
  else
    point(false, "sqlite, renamed columns", "they can be renamed");
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  if (system(command) != 0) point(false, "sqlite", "the directory is removed");
}

#ifdef STELE_POSTGRES
static void check_on_postgres(void) {
  const char *server = getenv("STELE_TEST_POSTGRES");
  char urls[16][1000];
  stele_place places[16] = {{0}};
  if (!server) {
    point(false, "postgres", "STELE_TEST_POSTGRES names a server (tests/postgres.py starts one)");
    return;
  }
  for (uint16_t i = 0; i < st_registry.nstores && i < 16; i++) {
    snprintf(urls[i], sizeof urls[i], "%s%cschema=check_registry_%d_%s", server, strchr(server, '?') ? '&' : '?',
             (int)getpid(), st_registry.stores[i].name);
    places[i] = (stele_place){st_registry.stores[i].name, urls[i], NULL};
  }
  check_all(NULL, places, st_registry.nstores, "postgres");
}
#endif

int main(void) {
  char directory[4096];
  const char *temporary = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/stele-registry-XXXXXX", temporary ? temporary : "/tmp");
  if (!mkdtemp(directory)) return 1;
  check_on_sqlite(directory);
#ifdef STELE_POSTGRES
  check_on_postgres();
#endif
  return failures > 0;
}
