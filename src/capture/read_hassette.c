/* read_hassette.c - Hassette's own file holds telemetry, no conversation: it is known, and the way is told. */
#include "capture/rows.h"

static bool owns(sqlite3 *db) {
  return st_has_columns(db, "listeners", (const char *const[]){"app_key", "instance_index", "topic", NULL}) &&
         st_has_columns(db, "scheduled_jobs", (const char *const[]){"app_key", "job_name", NULL}) &&
         st_has_columns(db, "sessions", (const char *const[]){"last_heartbeat_at", NULL});
}

static bool read_nothing(st_source *source, sqlite3 *db) {
  st_tell tell = {.source = source};
  (void)db;
  st_tell_bad(&tell, "telemetry of Hassette holds no conversations; open it with --store telemetry=FILE");
  return !tell.stop;
}

static const char *const roots[] = {NULL};

const st_reader st_reader_hassette = {
  .harness = "hassette",
  .program = "Hassette",
  .roots = roots,
  .owns = owns,
  .read = read_nothing,
};
