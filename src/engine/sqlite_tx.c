/* sqlite_tx.c - transactions on a SQLite file: the turn, the wait, the checkpoint. */
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "engine/sqlite_driver.h"

#define CHECKPOINT_AGAIN_MS 1000
#define LONG_LOG_PAGES (4 * ST_CHECKPOINT_PAGES)
#define RESTART_WAIT_MS 50
#define RESTART_AGAIN_MAX_MS 32000

/* SQLite's own lock is held by somebody outside the turnstile: a reader in the way of a restart,
** or another program.  Ask again soon; give up at the deadline. */
int st_sqlite_busy(void *argument, int tries) {
  st_sqlite *conn = argument;
  int64_t now = st_monotonic_ms();
  if (tries == 0) conn->busy_since_ms = now;
  if (now - conn->busy_since_ms >= conn->wait_ms || st_sqlite_interrupted(conn)) return 0;
  usleep(tries < 10 ? 200 : tries < 100 ? 1000 : 5000);
  return 1;
}

int st_sqlite_interrupted(void *argument) {
  const st_sqlite *conn = argument;
  if (conn->deadline_ms && st_monotonic_ms() >= conn->deadline_ms) return 1;
  return conn->interrupted && atomic_load_explicit(conn->interrupted, memory_order_relaxed);
}

int st_sqlite_on_commit(void *argument, sqlite3 *db, const char *name, int pages) {
  st_sqlite *conn = argument;
  (void)db;
  (void)name;
  conn->wal_pages = pages;
  return SQLITE_OK;
}

int st_sqlite_ready(st_sqlite *conn, bool anew) {
  static const char *const sql[] = {"BEGIN IMMEDIATE", "BEGIN", "COMMIT", "ROLLBACK"};
  sqlite3_stmt **const stmts[] = {&conn->begin_write, &conn->begin_read, &conn->commit, &conn->rollback};
  for (int i = 0; i < 4; i++) {
    sqlite3_stmt *made = NULL;
    if (*stmts[i] && !anew) continue;
    int code = sqlite3_prepare_v3(conn->db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &made, NULL);
    if (code != SQLITE_OK) return code;
    sqlite3_finalize(*stmts[i]); /* the old one stays until there is a new one */
    *stmts[i] = made;
  }
  return SQLITE_OK;
}

static stele_status run(st_sqlite *conn, sqlite3_stmt *stmt) {
  int code = sqlite3_step(stmt);
  stele_status status = code == SQLITE_DONE ? STELE_OK : st_sqlite_fail(conn, code);
  sqlite3_reset(stmt);
  return status;
}

static void leave_turn(st_sqlite *conn) {
  if (conn->has_turn) st_turn_leave(conn->turn);
  conn->has_turn = false;
}

static stele_status take_turn(st_sqlite *conn) {
  int64_t waited = 0;
  if (!conn->turn || conn->has_turn) return STELE_OK;
  stele_status status = st_turn_take(conn->turn, conn->wait_ms, &waited);
  st_counts *counts = &conn->base.counts;
  if (waited > 0) counts->waits++;
  counts->wait_us += waited;
  if (waited > counts->max_wait_us) counts->max_wait_us = waited;
  if (status == STELE_CANCELLED) return st_conn_fail(&conn->base, status, ST_SQLITE_INTERRUPTED);
  if (status != STELE_OK)
    return st_conn_fail(&conn->base, status, "the turn to write did not come within %d ms", conn->wait_ms);
  conn->has_turn = true;
  return STELE_OK;
}

/* FTS5 counts the rows of a table in memory.  A read that fails while it does can leave it counting from nothing, also
** after the transaction was taken back: the next deletion then finds the table damaged, and an insertion would write
** the wrong count.  So after such a failure the tables are opened anew, before the next write. */
static int settle_tables(st_sqlite *conn) {
  if (!conn->doubtful || !sqlite3_get_autocommit(conn->db)) return SQLITE_OK;
  int code = sqlite3_exec(conn->db, "PRAGMA writable_schema = RESET", NULL, NULL, NULL);
  if (code == SQLITE_OK) code = st_sqlite_ready(conn, true);
  if (code == SQLITE_OK) conn->doubtful = false;
  return code;
}

/* May this connection write, and is it its turn? */
stele_status st_sqlite_take_turn(st_sqlite *conn) {
  st_conn *base = &conn->base;
  if (base->stopped)
    return st_conn_fail(base, base->status == STELE_CORRUPT ? STELE_CORRUPT : STELE_IO,
                        "writing was stopped after a failure: check the disk and the file, then open it anew");
  if (conn->readonly) return st_conn_fail(base, STELE_READONLY, "the store is open for reading only");
  int code = settle_tables(conn);
  return code == SQLITE_OK ? take_turn(conn) : st_sqlite_fail(conn, code);
}

stele_status st_sqlite_begin(st_conn *base, bool write) {
  st_sqlite *conn = (st_sqlite *)base;
  int code = st_sqlite_ready(conn, false);
  if (code != SQLITE_OK) return st_sqlite_fail(conn, code);
  if (base->stuck) { /* in memory: there is no other connection to be had */
    base->stuck = false;
    st_sqlite_rollback(base);
  }
  if (!write) return run(conn, conn->begin_read);
  stele_status status = st_sqlite_take_turn(conn);
  if (status == STELE_OK) status = run(conn, conn->begin_write);
  if (status != STELE_OK) leave_turn(conn);
  conn->writing = status == STELE_OK;
  return status;
}

static int checkpoint(st_sqlite *conn, int mode, int *log, int *done) {
  conn->base.counts.checkpoints++;
  return sqlite3_wal_checkpoint_v2(conn->db, NULL, mode, log, done);
}

/* Is the log long enough, and a try worth its sync?  A reader may keep one from finishing; the next then comes a thousand pages
** later, not at every commit, or a second later: the reader may have gone, and the log shall not stay long behind it. */
static bool is_checkpoint_due(st_sqlite *conn) {
  if (conn->wal_pages < ST_CHECKPOINT_PAGES) conn->checkpoint_at = ST_CHECKPOINT_PAGES;
  if (conn->wal_pages < ST_CHECKPOINT_PAGES) return false;
  int64_t now = st_monotonic_ms();
  if (conn->wal_pages < conn->checkpoint_at && now < conn->checkpoint_ms) return false;
  conn->checkpoint_ms = now + CHECKPOINT_AGAIN_MS;
  return true;
}

/* Readers that overlap without end leave no moment in which nobody uses the log, so it would never be begun anew.  They are
** known by having nearly all of a long log behind them; behind one that stays, more and more of it is left to do, and waiting
** for that one is of no use. */
static bool is_restart_due(const st_sqlite *conn, int log, int done) {
  return log >= LONG_LOG_PAGES && log - done < ST_CHECKPOINT_PAGES && st_monotonic_ms() >= conn->restart_ms;
}

/* Wait for those who read now, with all writers kept out: whoever begins to read meanwhile needs nothing of the log once it is
** in the file, and the next write begins it anew.  If that fails, it is tried again after a pause that gets longer. */
static int restart(st_sqlite *conn, int *log, int *done) {
  int64_t deadline_ms = conn->deadline_ms; /* of the busy handler, too: of all waits together */
  conn->deadline_ms = st_monotonic_ms() + RESTART_WAIT_MS;
  int code = checkpoint(conn, SQLITE_CHECKPOINT_RESTART, log, done);
  conn->deadline_ms = deadline_ms;
  if (code == SQLITE_OK) conn->restart_pause_ms = 0;
  else if (conn->restart_pause_ms == 0) conn->restart_pause_ms = CHECKPOINT_AGAIN_MS;
  else if (conn->restart_pause_ms < RESTART_AGAIN_MAX_MS) conn->restart_pause_ms *= 2;
  conn->restart_ms = st_monotonic_ms() + conn->restart_pause_ms;
  return code;
}

/* Still in our turn, so that no writer outruns it: outside the turn the log grows without bound. */
static void checkpoint_if_due(st_sqlite *conn) {
  int log = 0, done = 0;
  if (!is_checkpoint_due(conn)) return;
  int code = checkpoint(conn, SQLITE_CHECKPOINT_PASSIVE, &log, &done);
  if (code == SQLITE_OK && is_restart_due(conn, log, done)) code = restart(conn, &log, &done);
  conn->checkpoint_at = code == SQLITE_OK && done >= log ? ST_CHECKPOINT_PAGES : conn->wal_pages + ST_CHECKPOINT_PAGES;
  if (code != SQLITE_OK && code != SQLITE_BUSY) {
    st_sqlite_fail(conn, code); /* the commit stands; a failed sync still stops the next write */
    if (conn->base.log) conn->base.log(conn->base.user, STELE_LOG_ERROR, conn->base.problem);
  }
}

void st_sqlite_end_turn(st_sqlite *conn) {
  if (sqlite3_txn_state(conn->db, "main") == SQLITE_TXN_WRITE) return;
  if (conn->has_turn) checkpoint_if_due(conn);
  leave_turn(conn);
}

stele_status st_sqlite_commit(st_conn *base) {
  st_sqlite *conn = (st_sqlite *)base;
  stele_status status = run(conn, conn->commit);
  if (status != STELE_OK) {
    st_sqlite_rollback(base);
    return status;
  }
  if (conn->writing) {
    base->counts.commits++;
    checkpoint_if_due(conn);
  }
  conn->writing = false;
  leave_turn(conn);
  return STELE_OK;
}

/* May find the transaction ended already: SQLite does so itself after some failures. */
void st_sqlite_rollback(st_conn *base) {
  st_sqlite *conn = (st_sqlite *)base;
  stele_status status = base->status;
  char problem[sizeof base->problem];
  memcpy(problem, base->problem, sizeof problem); /* the failure that led here is the one to tell */
  if (!sqlite3_get_autocommit(conn->db)) {
    stele_status ended = run(conn, conn->rollback);
    if (ended == STELE_NOMEM) base->stuck = true;
    else if (ended != STELE_OK) base->stopped = true;
  }
  base->status = status;
  memcpy(base->problem, problem, sizeof problem);
  conn->writing = false;
  leave_turn(conn);
}

bool st_sqlite_active(st_conn *base) { return !sqlite3_get_autocommit(((st_sqlite *)base)->db); }

stele_status st_sqlite_checkpoint(st_conn *base, const char *mode, bool *busy, int64_t *log, int64_t *done) {
  static const struct {
    const char *name;
    int mode;
  } modes[] = {{"passive", SQLITE_CHECKPOINT_PASSIVE},
               {"full", SQLITE_CHECKPOINT_FULL},
               {"restart", SQLITE_CHECKPOINT_RESTART},
               {"truncate", SQLITE_CHECKPOINT_TRUNCATE}};
  st_sqlite *conn = (st_sqlite *)base;
  int pages = 0, moved = 0, code = SQLITE_ERROR;
  stele_status status = take_turn(conn);
  if (status != STELE_OK) return status;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (strcmp(modes[i].name, mode) == 0) code = checkpoint(conn, modes[i].mode, &pages, &moved);
  leave_turn(conn);
  *busy = code == SQLITE_BUSY;
  *log = pages;
  *done = moved;
  return code == SQLITE_OK || code == SQLITE_BUSY ? STELE_OK : st_sqlite_fail(conn, code);
}
