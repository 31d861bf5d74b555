/* bare.c - see bare.h. */
#include "bare.h"

#define WAIT_MS 20000

static const char *const INSERT =
    "INSERT INTO handler_invocations (listener_id, session_id, execution_start_dtme, duration_ms, status,"
    " error_type, error_message, error_traceback) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

static void check(sqlite3 *db, int code) {
  if (code != SQLITE_OK) bench_die("sqlite: %s", sqlite3_errmsg(db));
}

sqlite3_stmt *bench_bare_prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *stmt = NULL;
  check(db, sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL));
  return stmt;
}

void bench_bare_run(sqlite3 *db, sqlite3_stmt *stmt) {
  if (sqlite3_step(stmt) != SQLITE_DONE) bench_die("sqlite: %s", sqlite3_errmsg(db));
  sqlite3_reset(stmt);
}

void bench_bare_open(bench_bare *bare, const char *home, bool full) {
  bench_path path = bench_join(home, "telemetry.db");
  *bare = (bench_bare){0};
  if (sqlite3_open_v2(path.text, &bare->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
    bench_die("%s cannot be opened", path.text);
  sqlite3_busy_timeout(bare->db, WAIT_MS);
  check(bare->db, sqlite3_exec(bare->db,
                               "PRAGMA foreign_keys = ON; PRAGMA journal_mode = WAL; PRAGMA temp_store = MEMORY;"
                               "PRAGMA journal_size_limit = 67108864",
                               NULL, NULL, NULL));
  check(bare->db,
        sqlite3_exec(bare->db, full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", NULL, NULL, NULL));
  bare->begin = bench_bare_prepare(bare->db, "BEGIN IMMEDIATE");
  bare->insert = bench_bare_prepare(bare->db, INSERT);
  bare->commit = bench_bare_prepare(bare->db, "COMMIT");
}

static void insert(bench_bare *bare, const bench_record *record) {
  sqlite3_bind_int64(bare->insert, 1, record->listener);
  sqlite3_bind_int64(bare->insert, 2, record->session);
  sqlite3_bind_double(bare->insert, 3, record->start);
  sqlite3_bind_double(bare->insert, 4, record->duration_ms);
  sqlite3_bind_text(bare->insert, 5, record->status, -1, SQLITE_STATIC);
  sqlite3_bind_text(bare->insert, 6, record->error_type, -1, SQLITE_STATIC);
  sqlite3_bind_text(bare->insert, 7, record->error_message, -1, SQLITE_STATIC);
  sqlite3_bind_text(bare->insert, 8, record->error_traceback, -1, SQLITE_STATIC);
  bench_bare_run(bare->db, bare->insert);
}

bool bench_bare_write(bench_bare *bare, unsigned first, int count) {
  int code = sqlite3_step(bare->begin);
  sqlite3_reset(bare->begin);
  if (code == SQLITE_BUSY) return false;
  if (code != SQLITE_DONE) bench_die("sqlite: %s", sqlite3_errmsg(bare->db));
  for (int i = 0; i < count; i++) {
    bench_record record = bench_record_at(first + (unsigned)i);
    insert(bare, &record);
  }
  bench_bare_run(bare->db, bare->commit);
  return true;
}

void bench_bare_close(bench_bare *bare) {
  sqlite3_finalize(bare->begin);
  sqlite3_finalize(bare->insert);
  sqlite3_finalize(bare->commit);
  sqlite3_close(bare->db);
}
