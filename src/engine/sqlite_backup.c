/* sqlite_backup.c - a copy of a live store in a new file: one consistent moment, verified. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/sqlite_driver.h"

#define PAGES_PER_STEP 1024

typedef int progress_fn(void *user, const char *what, int64_t done, int64_t total);

static stele_status check_space(st_sqlite *conn, const char *path) {
  struct statvfs disk;
  char copy[4096];
  int64_t bytes = 0, wal = 0;
  stele_status status = st_sqlite_size(&conn->base, &bytes, &wal);
  if (status != STELE_OK) return status;
  snprintf(copy, sizeof copy, "%s", path);
  if (statvfs(dirname(copy), &disk) != 0)
    return st_conn_fail(&conn->base, STELE_IO, "%s: %s", path, strerror(errno));
  int64_t room = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize;
  if (room < bytes + bytes / 10)
    return st_conn_fail(&conn->base, STELE_FULL, "a copy needs %lld bytes and %s has room for %lld",
                        (long long)(bytes + bytes / 10), path, (long long)room);
  return STELE_OK;
}

static stele_status copy_pages(st_sqlite *conn, sqlite3 *copy, progress_fn *progress, void *user) {
  sqlite3_backup *backup = sqlite3_backup_init(copy, "main", conn->db, "main");
  int code = backup ? SQLITE_OK : sqlite3_extended_errcode(copy);
  bool stopped = false;
  while (code == SQLITE_OK && !stopped) {
    code = sqlite3_backup_step(backup, PAGES_PER_STEP);
    int64_t total = sqlite3_backup_pagecount(backup);
    if (progress) stopped = progress(user, "backup", total - sqlite3_backup_remaining(backup), total) != 0;
  }
  sqlite3_backup_finish(backup);
  if (stopped && code != SQLITE_DONE) return st_conn_fail(&conn->base, STELE_CANCELLED, "the backup was stopped");
  if (code == SQLITE_DONE) return STELE_OK;
  return st_conn_fail(&conn->base, st_sqlite_status(code), "the backup failed: %s", sqlite3_errstr(code));
}

/* Read the copy back, all of it. */
static stele_status verify(st_sqlite *conn, sqlite3 *copy) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(copy, "PRAGMA integrity_check(1)", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : sqlite3_errmsg(copy);
  stele_status status = STELE_OK;
  if (code != SQLITE_ROW || !text) /* not read is not damaged */
    status = st_conn_fail(&conn->base, code == SQLITE_ROW ? STELE_NOMEM : st_sqlite_status(code),
                          "the copy cannot be read back: %s", text ? text : "out of memory");
  else if (strcmp(text, "ok") != 0)
    status = st_conn_fail(&conn->base, STELE_CORRUPT, "the copy is damaged: %s", text);
  sqlite3_finalize(stmt);
  return status;
}

static stele_status sync_file(st_sqlite *conn, const char *path) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  bool synced = fd >= 0 && fsync(fd) == 0;
  if (fd >= 0) close(fd);
  return synced ? STELE_OK : st_conn_fail(&conn->base, STELE_IO, "%s: %s", path, strerror(errno));
}

static stele_status copy_to(st_sqlite *conn, const char *path, progress_fn *progress, void *user) {
  sqlite3 *copy = NULL;
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return st_conn_fail(&conn->base, STELE_IO, "%s: %s", path, strerror(errno));
  close(fd);
  int code = sqlite3_open_v2(path, &copy, SQLITE_OPEN_READWRITE, NULL);
  stele_status status =
      code == SQLITE_OK ? copy_pages(conn, copy, progress, user)
                        : st_conn_fail(&conn->base, st_sqlite_status(code), "%s: %s", path, sqlite3_errstr(code));
  if (status == STELE_OK) status = verify(conn, copy);
  sqlite3_close(copy);
  return status == STELE_OK ? sync_file(conn, path) : status;
}

static stele_status sync_directory(st_sqlite *conn, const char *path) {
  char copy[4096];
  snprintf(copy, sizeof copy, "%s", path);
  int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool synced = fd >= 0 && fsync(fd) == 0;
  if (fd >= 0) close(fd);
  return synced ? STELE_OK : st_conn_fail(&conn->base, STELE_IO, "%s: %s", copy, strerror(errno));
}

/* One read transaction over all steps: other writers go on, the copy stays of one moment.  It begins
** with the first read; without that, every step would be a transaction of its own, and the copy
** would start over after each commit of another. */
static stele_status begin_moment(st_conn *base) {
  stele_status status = st_sqlite_begin(base, false);
  if (status != STELE_OK) return status;
  status = st_sqlite_script(base, "SELECT 1 FROM sqlite_master LIMIT 1");
  if (status != STELE_OK) st_sqlite_rollback(base);
  return status;
}

/* Remove what belongs to a copy in progress: its journals, and with all itself. */
static void clear_away(const char *partial, bool all) {
  static const char *const suffixes[] = {"-journal", "-wal", "-shm"};
  char path[4096];
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    if (snprintf(path, sizeof path, "%s%s", partial, suffixes[i]) < (int)sizeof path) unlink(path);
  if (all) unlink(partial);
}

/* The copy gets its name only when it is whole and verified. */
stele_status st_sqlite_backup(st_conn *base, const char *path, progress_fn *progress, void *user) {
  st_sqlite *conn = (st_sqlite *)base;
  char partial[4096];
  if (snprintf(partial, sizeof partial, "%s.partial", path) >= (int)sizeof partial)
    return st_conn_fail(base, STELE_INVALID, "the path is too long");
  if (access(path, F_OK) == 0) return st_conn_fail(base, STELE_CONFLICT, "%s exists already", path);
  if (!sqlite3_get_autocommit(conn->db))
    return st_conn_fail(base, STELE_MISUSE, "a store cannot be copied while it has a transaction open");
  stele_status status = check_space(conn, path);
  if (status == STELE_OK) status = begin_moment(base);
  if (status != STELE_OK) return status;
  clear_away(partial, true); /* only ever left by a backup of ours that was killed */
  status = copy_to(conn, partial, progress, user);
  st_sqlite_rollback(base);
  if (status == STELE_OK && rename(partial, path) != 0)
    status = st_conn_fail(base, STELE_IO, "%s: %s", path, strerror(errno));
  if (status == STELE_OK) status = sync_directory(conn, path);
  clear_away(partial, status != STELE_OK);
  return status;
}
