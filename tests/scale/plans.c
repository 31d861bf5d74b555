/* plans.c - does every statement that reads find its rows by an index, however many there are?
**
** All stores are made with every feature, and each table that grows is filled with rows made of numbers.  On SQLite, each
** statement is run with arguments that some rows match, and the steps of its program are counted: one that takes as many
** as a table has rows went through the table, or sorted what it did not need.  On PostgreSQL, the server is told that there are a
** million rows, and asked for its plan: one that reads a whole table, or whose cost is that of it, is refused.
** plans.txt names what is meant to read everything, and why; a line that is not needed any more is an error too. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/handle.h"
#include "scale/plans.h"

#define LINES_MAX 400

/* plans.txt: `small store.table reason`, or `reads store.method reason`, where * stands for any letters; with store.method!param only
** the statements that are made without that argument. */
typedef struct exception {
  char what[8];
  char name[120];
  char *without; /* in name; NULL: all of its statements */
  bool used;
} exception;

static exception exceptions[LINES_MAX];
static size_t nexceptions;

static bool has_sent(const subject *s, const char *param) {
  int at = st_param_index(s->method, param);
  return at >= 0 && s->args[at].type != ST_ABSENT;
}

static bool is_excepted(const char *what, const char *name, const subject *s) {
  for (size_t i = 0; i < nexceptions; i++) {
    exception *e = &exceptions[i];
    if (strcmp(e->what, what) == 0 && fnmatch(e->name, name, 0) == 0 && !(e->without && has_sent(s, e->without))) return e->used = true;
  }
  return false;
}

static bool read_exceptions(const char *path) {
  char line[1000];
  FILE *file = fopen(path, "r");
  bool good = file != NULL;
  while (good && fgets(line, sizeof line, file)) {
    exception *e = &exceptions[nexceptions];
    int reason = 0;
    if (line[0] == '#' || line[0] == '\n') continue;
    good = nexceptions < LINES_MAX && sscanf(line, "%7s %119s %n", e->what, e->name, &reason) == 2 && reason && line[reason];
    if (!good) printf("# %s", line);
    if ((e->without = strchr(e->name, '!'))) *e->without++ = '\0';
    nexceptions++;
  }
  if (file) fclose(file);
  return good;
}

bool stays_small(const st_store *store, const char *table) {
  char name[200];
  snprintf(name, sizeof name, "%s.%s", store->name, table);
  return is_excepted("small", name, NULL);
}

bool is_limit(const stele_field *param) { return strcmp(param->name, "limit") == 0; }

static void check(const subject *s) {
  size_t before = s->wrong->length;
  if (!s->statement->readonly) return;
  if (s->opened->driver->engine == ST_SQLITE) check_sqlite_plan(s);
#ifdef STELE_POSTGRES
  if (s->opened->driver->engine == ST_POSTGRES) check_postgres_plan(s);
#endif
  if (s->wrong->length > before && is_excepted("reads", s->method->public.name, s)) s->wrong->length = before;
}

static void check_stores(stele_db *db, const char *engine, void (*fill)(st_opened *opened)) {
  for (uint16_t i = 0; db && i < st_registry.nstores; i++) {
    st_opened *opened = &db->stores[i];
    if (!make_features(opened)) point(false, engine, opened->conn->problem);
    fill(opened);
    each_statement(opened, engine, check);
  }
}

int main(int argc, char **argv) {
  char directory[4096], home[4200];
  if (argc != 2 || !read_exceptions(argv[1]) || !make_directory(directory, sizeof directory)) return 1;
  snprintf(home, sizeof home, "%s/home", directory);
  stele_db *db = open_all(home, NULL, 0, "sqlite");
  check_stores(db, "sqlite", fill_sqlite);
  stele_close(db);
  remove_directory(directory);
#ifdef STELE_POSTGRES
  db = open_on_postgres();
  check_stores(db, "postgres", fill_postgres);
  close_on_postgres(db);
#endif
  for (size_t i = 0; i < nexceptions; i++)
    if (!exceptions[i].used) point(false, exceptions[i].what, exceptions[i].name);
  return failed_points() > 0;
}
