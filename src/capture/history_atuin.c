/* history_atuin.c - atuin's file, which is a SQLite database: times and durations in nanoseconds, "host:user". */
#include <sqlite3.h>

#include "capture/history.h"
#include "capture/rows.h"

#define WAIT_MS 5000

enum { ID, TIMESTAMP, DURATION, EXIT, COMMAND, CWD, SESSION, HOSTNAME };

static st_text column_text(sqlite3_stmt *row, int column) {
  const char *bytes = (const char *)sqlite3_column_text(row, column);
  return (st_text){bytes, bytes ? (size_t)sqlite3_column_bytes(row, column) : 0};
}

static bool tell(st_history *history, sqlite3_stmt *row) {
  st_text host = column_text(row, HOSTNAME);
  const char *colon = host.length ? memchr(host.bytes, ':', host.length) : NULL;
  int64_t duration = sqlite3_column_int64(row, DURATION), exit_code = sqlite3_column_int64(row, EXIT);
  st_past past = {.command = column_text(row, COMMAND),
                  .when_ms = sqlite3_column_int64(row, TIMESTAMP) / 1000000,
                  .duration_ms = duration > 0 ? duration / 1000000 : 0,
                  .exit_code = exit_code < 0 ? NULL : &exit_code, /* -1: it was never told */
                  .cwd = column_text(row, CWD),
                  .session = column_text(row, SESSION),
                  .hostname = {host.bytes, colon ? (size_t)(colon - host.bytes) : host.length},
                  .id = column_text(row, ID)};
  if (colon) past.username = (st_text){colon + 1, host.length - (size_t)(colon + 1 - host.bytes)};
  return past.command.length == 0 || st_history_tell(history, &past);
}

static void read_rows(st_history *history, st_call *call, sqlite3 *db) {
  bool marks = st_has_column(db, "history", "deleted_at");
  const char *sql = marks ? "SELECT id, timestamp, duration, exit, command, cwd, session, hostname FROM history WHERE deleted_at IS NULL ORDER BY timestamp, id"
                          : "SELECT id, timestamp, duration, exit, command, cwd, session, hostname FROM history ORDER BY timestamp, id";
  sqlite3_stmt *rows = NULL;
  int code = sqlite3_prepare_v2(db, sql, -1, &rows, NULL);
  while (code == SQLITE_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) code = tell(history, rows) ? SQLITE_OK : SQLITE_DONE;
  if (code != SQLITE_DONE)
    st_fail(call, code == SQLITE_NOMEM ? STELE_NOMEM : STELE_FORMAT, "path", "the file cannot be read: %s", sqlite3_errmsg(db));
  sqlite3_finalize(rows);
}

void st_history_atuin(st_history *history, st_call *call, const char *path) {
  sqlite3 *db = NULL;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK) {
    sqlite3_busy_timeout(db, WAIT_MS);
    read_rows(history, call, db);
  } else {
    st_fail(call, db ? STELE_IO : STELE_NOMEM, "path", "%.200s: %s", path, db ? sqlite3_errmsg(db) : "out of memory");
  }
  sqlite3_close(db);
}
