/* driver_sqlite.c - the SQLite driver: its table of functions, and how its errors are told. */
#include <string.h>

#include "engine/confine.h"
#include "engine/raw.h"
#include "engine/sqlite_driver.h"

stele_status st_sqlite_status(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_PROTOCOL:
    case SQLITE_LOCKED: return STELE_BUSY;
    case SQLITE_NOMEM: return STELE_NOMEM;
    case SQLITE_READONLY:
    case SQLITE_PERM: return STELE_READONLY;
    case SQLITE_INTERRUPT: return STELE_CANCELLED;
    case SQLITE_IOERR: return code == SQLITE_IOERR_NOMEM ? STELE_NOMEM : STELE_IO;
    case SQLITE_CANTOPEN: return STELE_IO;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return STELE_CORRUPT;
    case SQLITE_FULL: return STELE_FULL;
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT: return STELE_INVALID;
    case SQLITE_AUTH: return STELE_DENIED;
    default: return STELE_INTERNAL;
  }
}

bool st_sqlite_undefined(const char *problem) {
  static const char *const words[] = {"no such ", "invalid fts5 file format", "vtable constructor failed"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strncmp(problem, words[i], strlen(words[i])) == 0) return true;
  return strstr(problem, " has no column named ") != NULL;
}

bool st_sqlite_unsynced(int code) { return code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC; }

/* A trigger of the feature holds let nothing be deleted; its text is for whatever program meets it. */
static bool is_held(const st_sqlite *conn, int code) {
  static const char words[] = "under legal hold: ";
  return code == SQLITE_CONSTRAINT_TRIGGER && strncmp(sqlite3_errmsg(conn->db), words, sizeof words - 1) == 0;
}

/* ALTER TABLE looks over every trigger and view; that something could not be read meanwhile it tells as an error in one of them, without
** the code.  The system's error since the last failure is all that is left of it. */
static bool is_unread(st_sqlite *conn, int code) {
  int before = conn->system_error;
  conn->system_error = sqlite3_system_errno(conn->db);
  return code == SQLITE_ERROR && conn->system_error != before;
}

stele_status st_sqlite_fail(st_sqlite *conn, int code) {
  /* Who stops to wait for a lock because it was told to is not busy. */
  if ((code & 0xff) == SQLITE_BUSY && st_sqlite_interrupted(conn))
    return st_conn_fail(&conn->base, STELE_CANCELLED, ST_SQLITE_INTERRUPTED);
  /* A damaged file only gets worse by writing. */
  if (st_sqlite_unsynced(code) || (code & 0xff) == SQLITE_CORRUPT) conn->base.stopped = true;
  stele_status status = is_unread(conn, code) ? STELE_IO : is_held(conn, code) ? STELE_HELD : st_sqlite_status(code);
  if (status == STELE_IO || status == STELE_FULL || status == STELE_NOMEM) conn->doubtful = true;
  /* SQLite opens a log for reading if it cannot be opened for writing, and stays with that. */
  if ((code == SQLITE_READONLY || code == SQLITE_READONLY_CANTINIT) && !conn->readonly) conn->base.stuck = true;
  conn->base.orphan = code == SQLITE_CONSTRAINT_FOREIGNKEY;
  return st_conn_fail(&conn->base, status, "%s", sqlite3_errmsg(conn->db));
}

const st_driver st_driver_sqlite = {
    .engine = ST_SQLITE,
    .name = "sqlite",
    .open = st_sqlite_open,
    .close = st_sqlite_close,
    .look = st_sqlite_look,
    .probe = st_sqlite_probe,
    .definitions = st_sqlite_definitions,
    .mark = st_sqlite_mark,
    .script = st_sqlite_script,
    .prepare = st_sqlite_prepare,
    .finalize = st_sqlite_finalize,
    .start = st_sqlite_start,
    .start_stream = st_sqlite_start,
    .step = st_sqlite_step,
    .columns = st_sqlite_columns,
    .column_name = st_sqlite_column_name,
    .column = st_sqlite_column,
    .changes = st_sqlite_changes,
    .reset = st_sqlite_reset,
    .begin = st_sqlite_begin,
    .commit = st_sqlite_commit,
    .rollback = st_sqlite_rollback,
    .active = st_sqlite_active,
    .backup = st_sqlite_backup,
    .checkpoint = st_sqlite_checkpoint,
    .size = st_sqlite_size,
    .shrink = st_sqlite_shrink,
    .schema = st_sqlite_schema,
    .confinable = st_sqlite_confinable,
    .confine = st_sqlite_confine,
    .release = st_sqlite_release,
    .raw = &st_raw_sqlite,
};
