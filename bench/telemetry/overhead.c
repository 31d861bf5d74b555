/* overhead.c - what a call costs: telemetry.update_heartbeat on a store in memory, where the
** statement itself takes next to nothing, against the same statement in bare SQLite.
**
** Four ways take turns of a thousand calls each. */
#include <stdio.h>

#include "telemetry/records.h"

#define TURN 1000

typedef struct ways {
  stele_db *db;
  stele_stmt *stmt;
  sqlite3 *bare;
  sqlite3_stmt *begin, *update, *commit;
} ways;

static const char *const SETUP =
    "CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, started_at REAL NOT NULL, stopped_at REAL,"
    " last_heartbeat_at REAL NOT NULL, status TEXT NOT NULL,"
    " error_type TEXT, error_message TEXT, error_traceback TEXT);"
    "INSERT INTO sessions (started_at, last_heartbeat_at, status) VALUES (1, 1, 'running')";

static const char *const UPDATE =
    "UPDATE sessions SET last_heartbeat_at = ?1,"
    " status = CASE WHEN status = 'unknown' THEN 'running' ELSE status END,"
    " stopped_at = CASE WHEN status = 'unknown' THEN NULL ELSE stopped_at END WHERE id = ?2";

static void with_json(ways *w, int n) {
  char args[80];
  snprintf(args, sizeof args, "{\"session_id\":1,\"now\":%d}", 1750000000 + n);
  bench_call(w->db, "telemetry.update_heartbeat", args);
}

static void with_types(ways *w, int n) {
  bench_check(w->db, stele_bind_int(w->stmt, "session_id", 1));
  bench_check(w->db, stele_bind_real(w->stmt, "now", 1750000000.0 + n));
  bench_run(w->db, w->stmt);
}

static void update(ways *w, int n) {
  sqlite3_bind_double(w->update, 1, 1750000000.0 + n);
  sqlite3_bind_int64(w->update, 2, 1);
  bench_bare_run(w->bare, w->update);
}

static void with_transaction(ways *w, int n) {
  bench_bare_run(w->bare, w->begin);
  update(w, n);
  bench_bare_run(w->bare, w->commit);
}

static void open_bare(ways *w) {
  if (sqlite3_open(":memory:", &w->bare) != SQLITE_OK || sqlite3_exec(w->bare, SETUP, NULL, NULL, NULL) != SQLITE_OK)
    bench_die("no bare store in memory");
  w->begin = bench_bare_prepare(w->bare, "BEGIN IMMEDIATE");
  w->update = bench_bare_prepare(w->bare, UPDATE);
  w->commit = bench_bare_prepare(w->bare, "COMMIT");
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*call)(ways *w, int n);
  } lanes[] = {
      {"json_us", with_json}, {"typed_us", with_types}, {"bare_us", with_transaction}, {"bare_statement_us", update}};
  enum { LANES = sizeof lanes / sizeof *lanes };
  bench_options options = bench_start(argc, argv);
  int turns = (options.rows ? options.rows : 200000) / TURN;
  bench_samples us[LANES] = {{0}};
  ways all = {.db = bench_fill(":memory:", NULL)};
  bench_check(all.db, stele_prepare(all.db, "telemetry.update_heartbeat", &all.stmt));
  open_bare(&all);

  for (int turn = 0; turn < turns; turn++)
    for (int lane = 0; lane < LANES; lane++) {
      double start = bench_now();
      for (int i = 0; i < TURN; i++) lanes[lane].call(&all, turn * TURN + i);
      bench_add(&us[lane], (bench_now() - start) / TURN * 1e6);
    }
  for (int lane = 0; lane < LANES; lane++) bench_put(lanes[lane].name, bench_part(&us[lane], 0.5));
  stele_close(all.db);
  return bench_finish();
}
