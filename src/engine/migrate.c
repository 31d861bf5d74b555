/* migrate.c - creating and migrating stores.  See migrate.h. */
#include "engine/migrate.h"

#include <stdio.h>
#include <unistd.h>

#include "engine/backup.h"
#include "engine/complete.h"
#include "engine/keys.h"
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

static const st_step *next_step(const st_store *store, int version) {
  for (uint16_t i = 0; i < store->nsteps; i++)
    if (store->steps[i].version > version) return &store->steps[i];
  return NULL;
}

/* Keys are not enforced meanwhile; instead, no step may leave more rows without a parent than there were. */
static stele_status count_orphans(st_opened *opened, int64_t *count) {
  *count = 0;
  return st_keys_pragma(opened) ? st_conn_number(opened->conn, "SELECT count(*) FROM pragma_foreign_key_check", count) : STELE_OK;
}

/* What is known of an older file before anything is changed in it. */
typedef struct course {
  int64_t orphans;
  uint32_t seeds; /* those that are due at the end */
} course;

static stele_status set_out(st_opened *opened, const st_opening *opening, int version, course *known) {
  char path[ST_PATH_MAX];
  stele_status status = st_backup_beside(opened, version, &(st_watch){opening->progress, opening->user}, path);
  if (status == STELE_OK) status = st_complete_look(opened, &known->seeds);
  if (status == STELE_OK) status = st_complete_tables(opened);
  if (status == STELE_OK && opened->store->quarantine && version < opened->store->version) status = st_quarantine(opened);
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

/* On PostgreSQL another process may do the same, and one of the two is told so. */
static stele_status go_on(st_opened *opened, void *opening) {
  stele_status status = go(opened, opening);
  for (int conflicts = 1; status == STELE_CONFLICT && conflicts < TRIES; conflicts++) {
    usleep(10000u * (unsigned)conflicts);
    status = go(opened, opening);
  }
  return status;
}

bool st_migrate(st_opened *opened, const st_opening *opening) {
  st_opening with = *opening;
  return told(opened, opening, st_without_keys(opened, go_on, &with));
}
