/* migrate.c - creating and migrating stores.  See migrate.h. */
#include "engine/migrate.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/complete.h"
#include "engine/copy_path.h"
#include "engine/quarantine.h"

#define TRIES 20 /* PostgreSQL: another process creates or migrates the same schema */

static bool told(st_opened *opened, const st_opening *opening, stele_status status) {
  if (status == STELE_OK) return true;
  if (opening->error->status != STELE_OK) return false;
  opening->error->status = status;
  snprintf(opening->error->message, sizeof opening->error->message, "%s cannot be brought to version %d: %s",
           opened->store->name, opened->store->version, opened->conn->problem);
  return false;
}

/* Copy through a second connection: SQLite does not copy from one that is writing. */
static stele_status copy_to(st_opened *opened, const st_opening *opening, const char *path) {
  st_target target = opened->target;
  st_conn *reader = NULL;
  char problem[400] = "";
  target.readonly = true;
  stele_status status = opened->driver->open(&target, false, &reader, problem);
  if (status != STELE_OK) return st_conn_fail(opened->conn, status, "%s", problem);
  status = opened->driver->backup(reader, path, opening->progress, opening->user);
  if (status != STELE_OK) st_conn_fail(opened->conn, status, "%s", reader->problem);
  opened->driver->close(reader);
  return status;
}

/* A file with somebody's data in it is copied before its first step. */
static stele_status back_up(st_opened *opened, const st_opening *opening, int version) {
  char stem[3000], path[ST_PATH_MAX];
  if (opened->driver->engine != ST_SQLITE || strcmp(opened->location, ":memory:") == 0) return STELE_OK;
  int length = snprintf(stem, sizeof stem, "%s.v%d.", opened->location, version);
  if (length >= (int)sizeof stem || !st_copy_path(stem, ".backup", path))
    return st_conn_fail(opened->conn, STELE_INVALID, "the path is too long for a backup beside it");
  return copy_to(opened, opening, path);
}

static const st_step *next_step(const st_store *store, int version) {
  for (uint16_t i = 0; i < store->nsteps; i++)
    if (store->steps[i].version > version) return &store->steps[i];
  return NULL;
}

/* SQLite changes a table by making it anew, and dropping the old one deletes what refers to it.  So
** on SQLite a store that has its keys enforced has not while it is migrated; instead, no step may
** leave more rows without a parent than there were. */
static const char *keys_pragma(const st_opened *opened) {
  if (opened->driver->engine != ST_SQLITE) return NULL;
  for (const char *const *pragma = opened->store->pragmas; *pragma; pragma++)
    if (strncmp(*pragma, "foreign_keys", strlen("foreign_keys")) == 0) return *pragma;
  return NULL;
}

static stele_status set_keys(st_opened *opened, const char *pragma) {
  char sql[100];
  snprintf(sql, sizeof sql, "PRAGMA %s", pragma);
  return opened->driver->script(opened->conn, sql);
}

static stele_status count_orphans(st_opened *opened, int64_t *count) {
  const st_driver *driver = opened->driver;
  st_prepared *prepared = NULL;
  st_value value = {.type = ST_NULL};
  *count = 0;
  if (!keys_pragma(opened)) return STELE_OK;
  stele_status status = driver->prepare(opened->conn, "SELECT count(*) FROM pragma_foreign_key_check", &prepared);
  if (status == STELE_OK) status = driver->start(prepared, NULL, 0);
  if (status == STELE_OK) status = driver->step(prepared);
  if (status == STELE_ROW) {
    driver->column(prepared, 0, &value);
    *count = value.integer;
    status = STELE_OK;
  }
  driver->finalize(prepared);
  return status;
}

/* What is known of an older file before anything is changed in it. */
typedef struct course {
  int64_t orphans;
  uint32_t seeds; /* those that are due at the end */
} course;

static stele_status set_out(st_opened *opened, const st_opening *opening, int version, course *known) {
  stele_status status = back_up(opened, opening, version);
  if (status == STELE_OK) status = st_complete_look(opened, &known->seeds);
  if (status == STELE_OK) status = st_complete_tables(opened);
  if (status == STELE_OK && opened->store->quarantine) status = st_quarantine(opened);
  return status == STELE_OK ? count_orphans(opened, &known->orphans) : status;
}

static stele_status run_part(st_opened *opened, const st_part *part) {
  bool there = true;
  stele_status status = STELE_OK;
  if (part->table) status = opened->driver->probe(opened->conn, part->table, part->column, &there);
  return status == STELE_OK && there ? opened->driver->script(opened->conn, part->sql) : status;
}

static stele_status run_step(st_opened *opened, const st_step *step, const course *known) {
  st_engine engine = opened->driver->engine;
  int64_t orphans = 0;
  stele_status status = STELE_OK;
  for (uint16_t i = 0; i < step->nparts[engine] && status == STELE_OK; i++)
    status = run_part(opened, &step->parts[engine][i]);
  if (status == STELE_OK) status = count_orphans(opened, &orphans);
  if (status == STELE_OK && orphans > known->orphans)
    status = st_conn_fail(opened->conn, STELE_INTERNAL, "step %d would leave %lld rows without the row they refer to",
                          step->version, (long long)(orphans - known->orphans));
  return status == STELE_OK ? opened->driver->mark(opened->conn, step->version) : status;
}

static stele_status run_steps(st_opened *opened, const st_opening *opening, int version, const course *known) {
  const st_store *store = opened->store;
  stele_status status = STELE_OK;
  while (status == STELE_OK && version < store->version) {
    const st_step *step = next_step(store, version);
    if (!step) return st_conn_fail(opened->conn, STELE_FORMAT, "no step leads on from version %d", version);
    if (opening->progress && opening->progress(opening->user, step->why, step->version, store->version) != 0)
      return st_conn_fail(opened->conn, STELE_CANCELLED, "the migration was stopped");
    status = run_step(opened, step, known);
    version = step->version;
  }
  return status;
}

/* From what a look found to the present version.  The tables are completed before the steps, so that these find
** what they work with, and once more after them: a table that a step makes anew comes without its indexes. */
static stele_status advance(st_opened *opened, const st_opening *opening, const st_look *look) {
  course known = {0, 0};
  if (look->fresh) {
    stele_status made = st_complete_fresh(opened);
    return made == STELE_OK ? opened->driver->mark(opened->conn, opened->store->version) : made;
  }
  stele_status status = set_out(opened, opening, look->version, &known);
  if (status == STELE_OK) status = run_steps(opened, opening, look->version, &known);
  if (status != STELE_OK || !opened->store->complete) return status;
  status = st_complete_tables(opened);
  if (status == STELE_OK) status = st_complete_rows(opened, known.seeds);
  return status == STELE_OK ? opened->driver->mark(opened->conn, opened->store->version) : status;
}

/* What is there now?  *done: the store is at its version, with all that belongs to it. */
static stele_status look_again(st_opened *opened, st_look *look, bool *done) {
  const st_store *store = opened->store;
  stele_status status = opened->driver->look(opened->conn, look);
  if (status != STELE_OK) return status;
  if (look->foreign[0])
    return st_conn_fail(opened->conn, STELE_FORMAT, "it is not a %s store: %s", store->name, look->foreign);
  if (look->version > store->accepts)
    return st_conn_fail(opened->conn, STELE_FORMAT, "another process has brought it to version %d", look->version);
  *done = !look->fresh && !st_look_is_old(store, look);
  return STELE_OK;
}

/* One transaction, from the lock to the commit: what several processes do at once is done by the
** first, and the others find it done. */
static stele_status go(st_opened *opened, const st_opening *opening) {
  st_look look;
  bool done = false;
  stele_status status = opened->driver->begin(opened->conn, true);
  if (status != STELE_OK) return status;
  status = look_again(opened, &look, &done);
  if (status == STELE_OK && !done) {
    status = advance(opened, opening, &look);
    if (status == STELE_OK) status = look_again(opened, &look, &done);
    if (status == STELE_OK && !done)
      status = st_conn_fail(opened->conn, STELE_INTERNAL, "it is still not whole: %s", look.missing);
  }
  if (status == STELE_OK) return opened->driver->commit(opened->conn);
  opened->driver->rollback(opened->conn);
  return status;
}

bool st_migrate(st_opened *opened, const st_opening *opening) {
  const char *keys = keys_pragma(opened);
  stele_status status = keys ? set_keys(opened, "foreign_keys = OFF") : STELE_OK;
  if (status == STELE_OK) status = go(opened, opening);
  for (int conflicts = 1; status == STELE_CONFLICT && conflicts < TRIES; conflicts++) {
    usleep(10000u * (unsigned)conflicts);
    status = go(opened, opening);
  }
  if (status == STELE_OK && keys) status = set_keys(opened, keys);
  return told(opened, opening, status);
}
