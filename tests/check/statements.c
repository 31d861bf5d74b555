/* statements.c - see statements.h. */
#include "check/statements.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "engine/feature.h"
#include "engine/handle.h"

#define PARAMS_MAX 64
#define STORES_MAX 16
#define WRONG_MAX (1u << 20)

static int failures;

void point(bool good, const char *engine, const char *name) {
  printf("%s - %s: %s\n", good ? "ok" : "not ok", engine, name);
  failures += !good;
}

int failed_points(void) { return failures; }

void complain(const subject *s, const char *format, ...) {
  char line[2000];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  st_str_addf(s->wrong, "# %s\n", line);
}

static void check_variant(subject *s, uint16_t number, const st_value *args) {
  st_variant variant = {0};
  st_engine engine = s->opened->driver->engine;
  size_t before = s->wrong->length;
  char *sql = st_variant_sql(s->method, engine, number, args, s->opened->store, s->opened->conn->renamed,
                             s->opened->features, &variant);
  if (!sql) abort();
  s->sql = sql;
  s->args = args;
  s->variant = &variant;
  s->statement = &s->method->statements[engine][number];
  s->last = number + 1 == s->method->nstatements[engine];
  s->check(s);
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

/* A private method may be for one engine only. */
static bool is_elsewhere(const st_method *method, st_engine engine) {
  return method->private && !method->native && !method->nstatements[engine] && method->nstatements[engine == ST_SQLITE ? ST_POSTGRES : ST_SQLITE];
}

void each_statement(st_opened *opened, const char *label, statement_check *check) {
  int store = (int)(opened->store - st_registry.stores);
  for (uint16_t i = 0; i < st_registry.nmethods; i++) {
    const st_method *method = &st_registry.methods[i];
    st_str wrong;
    if (method->store != store || !can_be_run(method, opened) || is_elsewhere(method, opened->driver->engine)) continue;
    st_str_init(&wrong, WRONG_MAX);
    subject s = {.opened = opened, .method = method, .check = check, .wrong = &wrong};
    uint16_t count = method->nstatements[opened->driver->engine];
    if ((count == 0) != (method->native != NULL))
      complain(&s, "it has %u statements%s", count, method->native ? " and a function" : "");
    for (uint16_t n = 0; n < count; n++) check_statement(&s, n);
    point(wrong.length == 0, label, method->public.name);
    if (wrong.length) fputs(wrong.text, stdout);
    st_str_free(&wrong);
  }
}

/* ---- Fresh stores ---- */

stele_db *open_all(const char *home, const stele_place *places, size_t count, const char *engine) {
  stele_db *db = NULL;
  stele_options options = {.size = sizeof options, .home = home, .places = places, .nplaces = count};
  bool good = stele_open(&options, &db) == STELE_OK;
  for (uint16_t i = 0; good && i < st_registry.nstores; i++)
    good = stele_begin(db, st_registry.stores[i].name) == STELE_OK && stele_rollback(db) == STELE_OK;
  if (good) return db;
  point(false, engine, stele_error(db)->message);
  stele_close(db);
  return NULL;
}

bool make_features(st_opened *opened) {
  const st_driver *driver = opened->driver;
  bool good = true;
  for (uint16_t i = 0; i < opened->store->nfeatures && good; i++)
    if (!(opened->features >> i & 1) && opened->store->features[i].sql[driver->engine])
      good = driver->script(opened->conn, opened->store->features[i].sql[driver->engine]) == STELE_OK;
  return good && st_features_look(opened) == STELE_OK;
}

bool make_directory(char *path, size_t size) {
  const char *temporary = getenv("TMPDIR");
  snprintf(path, size, "%s/stele-statements-XXXXXX", temporary ? temporary : "/tmp");
  return mkdtemp(path) != NULL;
}

void remove_directory(const char *path) {
  char command[4200];
  snprintf(command, sizeof command, "rm -rf '%s'", path);
  if (system(command) != 0) point(false, "sqlite", "the directory is removed");
}

#ifdef STELE_POSTGRES
stele_db *open_on_postgres(void) {
  const char *server = getenv("STELE_TEST_POSTGRES");
  char urls[STORES_MAX][1000];
  stele_place places[STORES_MAX] = {{0}};
  if (!server) {
    point(false, "postgres", "STELE_TEST_POSTGRES names a server (tests/postgres.py starts one)");
    return NULL;
  }
  for (uint16_t i = 0; i < st_registry.nstores && i < STORES_MAX; i++) {
    snprintf(urls[i], sizeof urls[i], "%s%cschema=statements_%d_%s", server, strchr(server, '?') ? '&' : '?', (int)getpid(),
             st_registry.stores[i].name);
    places[i] = (stele_place){st_registry.stores[i].name, urls[i], NULL};
  }
  return open_all(NULL, places, st_registry.nstores, "postgres");
}

void close_on_postgres(stele_db *db) {
  for (uint16_t i = 0; db && i < st_registry.nstores; i++) {
    char sql[300];
    snprintf(sql, sizeof sql, "DROP SCHEMA %s CASCADE", db->stores[i].schema);
    db->stores[i].driver->script(db->stores[i].conn, sql);
  }
  stele_close(db);
}
#endif
