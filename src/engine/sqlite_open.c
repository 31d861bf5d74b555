/* sqlite_open.c - opening and closing a SQLite file, and the settings of its connection. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "engine/network_fs.h"
#include "engine/sqlite_driver.h"
#include "engine/sqlite_wal.h"
#include "engine/sync_name.h"

#define INTERRUPT_STEPS 2000 /* of SQLite's machine, some tens of microseconds: how often it asks whether to go on */

/* Closing any descriptor of a file drops this process's POSIX locks on it, SQLite's included.
** Creating a file means opening and closing one, and so does asking who else uses its log: no other
** thread may open a store meanwhile. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static st_sqlite *connections; /* of this process; under the mutex */

/* Make an empty file that only its owner can read, and make its name durable.  Its directory's name is made so too: whoever made
** that may not have done it.  The file is not opened: closing it would take away the locks that another thread may have on it by then. */
static bool create_file(const char *path) {
  char copy[4096];
  if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy) {
    errno = ENAMETOOLONG;
    return false;
  }
  if (mknod(path, S_IFREG | 0600, 0) != 0) return errno == EEXIST;
  return st_sync_name(path) && st_sync_name(dirname(copy));
}

static stele_status find_file(const st_target *target, bool create, char problem[400]) {
  struct stat found;
  if (!target->network_fs && st_on_network_fs(target->location)) {
    snprintf(problem, 400, "%s is on a network file system, where SQLite's locks do not hold", target->location);
    return STELE_UNSUPPORTED;
  }
  if (stat(target->location, &found) == 0) {
    if (S_ISREG(found.st_mode)) return STELE_OK;
    snprintf(problem, 400, "%s is not a file", target->location);
    return STELE_IO;
  }
  if (errno != ENOENT || target->readonly || !create) {
    snprintf(problem, 400, "%s: %s", target->location, strerror(errno));
    return errno == ENOENT ? STELE_NOTFOUND : STELE_IO;
  }
  if (create_file(target->location)) return STELE_OK;
  snprintf(problem, 400, "%s cannot be created: %s", target->location, strerror(errno));
  return STELE_IO;
}

static bool same_file(const char *one, const char *other) {
  struct stat a, b;
  return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Does another process use the log?  Not to be asked once this process does. */
static bool has_others(const char *path) {
  if (st_sqlite_wal_safe(st_sqlite_version())) return false;
  for (const st_sqlite *conn = connections; conn; conn = conn->next)
    if (same_file(conn->path, path)) return false;
  return st_sqlite_wal_in_use(path);
}

/* SQLite locks 512 bytes from here on, to read, to write, and in WAL mode as long as a file is open. */
static bool lock_all(int fd) {
  bool writes = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
  struct flock lock = {.l_type = writes ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_start = 0x40000000, .l_len = 512};
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* Of a file that cannot be written, at least nobody begins to write. */
static int open_any(const char *path) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  return fd < 0 && (errno == EACCES || errno == EROFS) ? open(path, O_RDONLY | O_CLOEXEC) : fd;
}

stele_status st_sqlite_seize(const char *path, int *fd, char problem[400]) {
  bool ours = false;
  pthread_mutex_lock(&opening);
  for (const st_sqlite *conn = connections; conn; conn = conn->next) ours = ours || same_file(conn->path, path);
  *fd = ours ? -1 : open_any(path);
  bool seized = *fd >= 0 && lock_all(*fd);
  if (*fd >= 0 && !seized) close(*fd);
  pthread_mutex_unlock(&opening);
  if (seized) return STELE_OK;
  bool held = ours || *fd >= 0;
  if (held) snprintf(problem, 400, "%.300s is open in %s process", path, ours ? "this" : "another");
  else snprintf(problem, 400, "%.300s: %s", path, strerror(errno));
  *fd = -1;
  return held ? STELE_BUSY : STELE_IO;
}

static void list(st_sqlite *conn) {
  conn->next = connections;
  conn->at = &connections;
  if (connections) connections->at = &conn->next;
  connections = conn;
}

static void unlist(st_sqlite *conn) {
  pthread_mutex_lock(&opening);
  if (conn->at) *conn->at = conn->next;
  if (conn->next) conn->next->at = conn->at;
  pthread_mutex_unlock(&opening);
}

/* Where a file cannot be opened for writing, SQLite opens it for reading.  That is right for one that this user may not write to;
** otherwise something was amiss that may be over by the next time, and this connection would never learn of it. */
static stele_status check_mode(st_sqlite *conn) {
  if (conn->readonly || conn->memory || sqlite3_db_readonly(conn->db, "main") == 0 || access(conn->path, W_OK) != 0) return STELE_OK;
  return st_conn_fail(&conn->base, STELE_IO, "it could not be opened for writing");
}

/* See to the file and open it, unconfigured. */
static stele_status open_file(st_sqlite *conn, const st_target *target, bool create, bool *others, char problem[400]) {
  int flags = conn->readonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (conn->memory) flags |= SQLITE_OPEN_MEMORY;
  pthread_mutex_lock(&opening);
  stele_status status = conn->memory ? STELE_OK : find_file(target, create, problem);
  if (status == STELE_OK && !conn->memory && !conn->readonly) *others = has_others(conn->path);
  if (status == STELE_OK) {
    int code = sqlite3_open_v2(conn->path, &conn->db, flags, NULL);
    if (!conn->db) status = STELE_NOMEM;
    else if (code != SQLITE_OK) status = st_sqlite_fail(conn, code);
    else status = check_mode(conn);
    if (!conn->memory) list(conn);
  }
  pthread_mutex_unlock(&opening);
  return status;
}

static stele_status pragma(st_sqlite *conn, const char *text) {
  char sql[200];
  snprintf(sql, sizeof sql, "PRAGMA %s", text);
  return st_sqlite_script(&conn->base, sql);
}

/* Is the file in WAL mode already? */
static bool is_wal(st_sqlite *conn) {
  sqlite3_stmt *stmt = NULL;
  bool wal = false;
  if (sqlite3_prepare_v2(conn->db, "PRAGMA journal_mode", -1, &stmt, NULL) == SQLITE_OK)
    wal = sqlite3_step(stmt) == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(stmt, 0), "wal") == 0;
  sqlite3_finalize(stmt);
  return wal;
}

/* The switch raises a lock that is held already, and for that SQLite does not ask the busy handler:
** when several processes open a new file at once, all but one must ask again. */
static stele_status switch_journal(st_sqlite *conn, const char *text) {
  stele_status status;
  int tries = 0;
  do {
    status = pragma(conn, text);
  } while (status == STELE_BUSY && st_sqlite_busy(conn, tries++));
  return status;
}

/* Choose the journal.  A library with the WAL-reset bug makes no new log; where one is in use
** already it is left alone, and only warned about if nobody else has the file open. */
static stele_status set_journal(st_sqlite *conn, bool others) {
  if (st_sqlite_wal_safe(st_sqlite_version())) return is_wal(conn) ? STELE_OK : switch_journal(conn, "journal_mode = WAL");
  if (!is_wal(conn)) return switch_journal(conn, "journal_mode = DELETE");
  if (others)
    return st_conn_fail(&conn->base, STELE_READONLY,
                        "%s is in WAL mode and in use by others, and SQLite %s can damage it; build Stele with the "
                        "pinned SQLite, or open it read-only",
                        conn->path, sqlite3_libversion());
  if (conn->base.log)
    conn->base.log(conn->base.user, STELE_LOG_WARNING,
                   "this SQLite library has the WAL-reset bug; do not let several processes use the file");
  return STELE_OK;
}

/* Pragmas about the form of the file matter only while it is empty.  On any other SQLite would write
** them all the same, and wait for a writer to do so. */
static bool is_about_form(const char *text) {
  static const char *const names[] = {"auto_vacuum", "page_size", "encoding"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(text, names[i], strlen(names[i])) == 0) return true;
  return false;
}

static bool is_empty(st_sqlite *conn) {
  sqlite3_stmt *stmt = NULL;
  bool empty = false;
  if (sqlite3_prepare_v2(conn->db, "PRAGMA page_count", -1, &stmt, NULL) == SQLITE_OK)
    empty = sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int64(stmt, 0) == 0;
  sqlite3_finalize(stmt);
  return empty;
}

static stele_status set_pragmas(st_sqlite *conn, const char *const *pragmas) {
  bool empty = is_empty(conn);
  stele_status status = STELE_OK;
  for (; *pragmas && status == STELE_OK; pragmas++)
    if (empty || !is_about_form(*pragmas)) status = pragma(conn, *pragmas);
  sqlite3_busy_handler(conn->db, st_sqlite_busy, conn); /* a pragma busy_timeout replaced it */
  return status;
}

static stele_status configure(st_sqlite *conn, const st_target *target, bool others) {
  sqlite3_extended_result_codes(conn->db, 1);
  /* A plan that looks at what is bound, a limit for example, is made anew at every call with another value. */
  sqlite3_db_config(conn->db, SQLITE_DBCONFIG_ENABLE_QPSG, 1, NULL);
  if (st_sqlite_functions(conn->db) != SQLITE_OK) return st_conn_fail(&conn->base, STELE_NOMEM, "out of memory");
  sqlite3_busy_handler(conn->db, st_sqlite_busy, conn);
  sqlite3_progress_handler(conn->db, INTERRUPT_STEPS, st_sqlite_interrupted, conn);
  if (conn->readonly) { /* a look must leave the file as it is */
    sqlite3_db_config(conn->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return pragma(conn, "query_only = ON");
  }
  stele_status status = set_pragmas(conn, target->store->pragmas);
  if (status == STELE_OK && !conn->memory) status = set_journal(conn, others);
  if (status == STELE_OK) status = pragma(conn, target->full ? "synchronous = FULL" : "synchronous = NORMAL");
  if (status == STELE_OK) status = pragma(conn, "temp_store = MEMORY");
  if (status == STELE_OK) status = pragma(conn, "cache_size = -16384"); /* 16 MB at most: halves a large summary */
  if (status == STELE_OK) status = pragma(conn, "journal_size_limit = 67108864");
  sqlite3_wal_hook(conn->db, st_sqlite_on_commit, conn); /* replaces SQLite's own checkpointing */
  return status;
}

static void open_turn(st_sqlite *conn) {
  char path[4096];
  if (!st_turn_path(conn->path, path)) return;
  if (st_turn_open(path, &conn->turn) == STELE_OK)
    st_turn_stopped_by(conn->turn, conn->interrupted);
  else if (conn->base.log)
    conn->base.log(conn->base.user, STELE_LOG_WARNING, "no lock file can be made beside the store: writers take turns unfairly");
}

stele_status st_sqlite_open(const st_target *target, bool create, st_conn **out, char problem[400]) {
  st_sqlite *conn = st_alloc_zero(sizeof *conn);
  stele_status status = STELE_NOMEM;
  bool others = false;
  *out = NULL;
  if (!conn) goto failed;
  conn->base.driver = &st_driver_sqlite;
  conn->base.store = target->store;
  conn->base.log = target->log;
  conn->base.user = target->user;
  conn->path = st_strdup(target->location);
  conn->memory = strcmp(target->location, ":memory:") == 0;
  conn->readonly = target->readonly;
  conn->wait_ms = target->wait_ms;
  conn->interrupted = target->interrupted;
  conn->checkpoint_at = ST_CHECKPOINT_PAGES;
  if (!conn->path) goto failed;
  status = open_file(conn, target, create, &others, problem);
  if (status == STELE_OK) status = configure(conn, target, others);
  if (conn->db && status != STELE_OK) snprintf(problem, 400, "%s: %s", target->location, conn->base.problem);
  if (status != STELE_OK) goto failed;
  if (!conn->memory && !conn->readonly) open_turn(conn);
  *out = &conn->base;
  return STELE_OK;
failed:
  if (status == STELE_NOMEM) snprintf(problem, 400, "out of memory");
  st_sqlite_close((st_conn *)conn);
  return status;
}

void st_sqlite_close(st_conn *base) {
  st_sqlite *conn = (st_sqlite *)base;
  if (!conn) return;
  sqlite3_finalize(conn->begin_write);
  sqlite3_finalize(conn->begin_read);
  sqlite3_finalize(conn->commit);
  sqlite3_finalize(conn->rollback);
  sqlite3_finalize(conn->definitions);
  sqlite3_close_v2(conn->db);
  unlist(conn);
  st_turn_close(conn->turn);
  st_free(conn->path);
  st_free(conn);
}
