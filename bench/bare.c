/* bare.c - see bare.h. */
#include "bare.h"

#define WAIT_MS 20000

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

void bench_bare_open(bench_bare *bare, const char *home, const char *file, bool full) {
  bench_path path = bench_join(home, file);
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
  bare->commit = bench_bare_prepare(bare->db, "COMMIT");
}

bool bench_bare_begin(bench_bare *bare) {
  int code = sqlite3_step(bare->begin);
  sqlite3_reset(bare->begin);
  if (code != SQLITE_DONE && code != SQLITE_BUSY) bench_die("sqlite: %s", sqlite3_errmsg(bare->db));
  return code == SQLITE_DONE;
}

void bench_bare_commit(bench_bare *bare) {
  bench_bare_run(bare->db, bare->commit);
}

int64_t bench_bare_ask(bench_bare *bare, const char *sql) {
  sqlite3_stmt *stmt = bench_bare_prepare(bare->db, sql);
  if (sqlite3_step(stmt) != SQLITE_ROW) bench_die("sqlite: %s", sqlite3_errmsg(bare->db));
  int64_t number = sqlite3_column_int64(stmt, 0);
  sqlite3_finalize(stmt);
  return number;
}

void bench_bare_close(bench_bare *bare) {
  sqlite3_finalize(bare->begin);
  sqlite3_finalize(bare->commit);
  sqlite3_close(bare->db);
}
