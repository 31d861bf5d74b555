/* migrate.c - creating and migrating stores.  See migrate.h. */
#include "engine/migrate.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"

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
  char path[4096], time[ST_TIME_MAX] = "";
  if (opened->driver->engine != ST_SQLITE || strcmp(opened->location, ":memory:") == 0) return STELE_OK;
  st_time_rfc3339(st_time_now(), time);
  for (char *c = time; *c; c++)
    if (*c == ':') *c = '-';
  for (int n = 0;; n++) { /* two migrations in one second must not meet in one name */
    char again[16] = "";
    if (n) snprintf(again, sizeof again, "-%d", n);
    if (snprintf(path, sizeof path, "%s.v%d.%s%s.backup", opened->location, version, time, again) >= (int)sizeof path)
      return st_conn_fail(opened->conn, STELE_INVALID, "the path is too long for a backup beside it");
    if (access(path, F_OK) != 0) break;
  }
  return copy_to(opened, opening, path);
}

static const st_step *next_step(const st_store *store, int version) {
  for (uint16_t i = 0; i < store->nsteps; i++)
    if (store->steps[i].version > version) return &store->steps[i];
  return NULL;
}

/* The work of one transaction.  *backed_up: the copy has been made. */
static stele_status advance(st_opened *opened, const st_opening *opening, const st_look *look, bool *backed_up) {
  const st_driver *driver = opened->driver;
  const st_store *store = opened->store;
  stele_status status = STELE_OK;
  if (look->fresh) {
    status = driver->script(opened->conn, store->schema[driver->engine]);
    return status == STELE_OK ? driver->mark(opened->conn, store->version) : status;
  }
  const st_step *step = next_step(store, look->version);
  if (!step) return st_conn_fail(opened->conn, STELE_FORMAT, "no step leads on from version %d", look->version);
  if (!*backed_up) status = back_up(opened, opening, look->version);
  if (status != STELE_OK) return status;
  *backed_up = true;
  if (opening->progress) opening->progress(opening->user, step->why, step->version, store->version);
  if (step->sql[driver->engine]) status = driver->script(opened->conn, step->sql[driver->engine]);
  return status == STELE_OK ? driver->mark(opened->conn, step->version) : status;
}

/* One transaction, from the lock to the commit.  *done: the store is at its version. */
static stele_status one_step(st_opened *opened, const st_opening *opening, bool *backed_up, bool *done) {
  const st_driver *driver = opened->driver;
  st_look look;
  stele_status status = driver->begin(opened->conn, true);
  if (status != STELE_OK) return status;
  status = driver->look(opened->conn, &look); /* anew: another process may have been faster */
  *done = status == STELE_OK && !look.fresh && look.version >= opened->store->version;
  if (status == STELE_OK && look.foreign[0])
    status = st_conn_fail(opened->conn, STELE_FORMAT, "it is not a %s store: %s", opened->store->name, look.foreign);
  if (status == STELE_OK && !*done) status = advance(opened, opening, &look, backed_up);
  if (status == STELE_OK) return driver->commit(opened->conn);
  driver->rollback(opened->conn);
  return status;
}

bool st_migrate(st_opened *opened, const st_opening *opening) {
  bool done = false, backed_up = false;
  int conflicts = 0;
  while (!done) {
    stele_status status = one_step(opened, opening, &backed_up, &done);
    if (status == STELE_CONFLICT && ++conflicts < TRIES) {
      usleep(10000u * (unsigned)conflicts);
      done = false;
      continue;
    }
    if (!told(opened, opening, status)) return false;
  }
  return true;
}
