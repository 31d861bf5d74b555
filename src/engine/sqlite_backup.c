/* sqlite_backup.c - a copy of a live store in a new file: one consistent moment, verified. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "engine/sqlite_driver.h"

#define PAGES_PER_STEP 1024

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

static stele_status copy_pages(st_sqlite *conn, sqlite3 *copy, const st_watch *watch) {
  sqlite3_backup *backup = sqlite3_backup_init(copy, "main", conn->db, "main");
  int code = backup ? SQLITE_OK : sqlite3_extended_errcode(copy);
  bool stopped = false;
  while (code == SQLITE_OK && !stopped) {
    code = sqlite3_backup_step(backup, PAGES_PER_STEP);
    int64_t total = sqlite3_backup_pagecount(backup);
    stopped = st_watch_stops(watch, "backup", total - sqlite3_backup_remaining(backup), total);
  }
  sqlite3_backup_finish(backup);
  if (stopped && code != SQLITE_DONE) return st_conn_fail(&conn->base, STELE_CANCELLED, "the backup was stopped");
  if (code == SQLITE_DONE) return STELE_OK;
  return st_conn_fail(&conn->base, st_sqlite_status(code), "the backup failed: %s", sqlite3_errstr(code));
}

static stele_status copy_to(st_sqlite *conn, const char *path, const st_watch *watch) {
  sqlite3 *copy = NULL;
  int code = sqlite3_open_v2(path, &copy, SQLITE_OPEN_READWRITE, NULL);
  stele_status status = code == SQLITE_OK ? copy_pages(conn, copy, watch)
                                          : st_conn_fail(&conn->base, st_sqlite_status(code), "%s: %s", path, sqlite3_errstr(code));
  sqlite3_close(copy);
  return status;
}

/* What the store holds at the moment that was copied, and that the copy holds the same. */
static stele_status compare(st_sqlite *conn, const char *path, const st_watch *watch, st_contents *made) {
  char problem[400] = "";
  int code = st_sqlite_contents(conn->db, watch, made);
  if (code == SQLITE_INTERRUPT) return st_conn_fail(&conn->base, STELE_CANCELLED, "the backup was stopped");
  if (code != SQLITE_OK) return st_sqlite_fail(conn, code);
  stele_status status = st_sqlite_verify(path, made, watch, problem);
  return status == STELE_OK ? STELE_OK : st_conn_fail(&conn->base, status, "%s", problem);
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

stele_status st_sqlite_backup(st_conn *base, const char *path, const st_watch *watch, st_contents *made) {
  st_sqlite *conn = (st_sqlite *)base;
  *made = (st_contents){NULL, 0};
  if (!sqlite3_get_autocommit(conn->db))
    return st_conn_fail(base, STELE_MISUSE, "a store cannot be copied while it has a transaction open");
  stele_status status = check_space(conn, path);
  if (status == STELE_OK) status = begin_moment(base);
  if (status != STELE_OK) return status;
  status = copy_to(conn, path, watch);
  if (status == STELE_OK) status = compare(conn, path, watch, made);
  st_sqlite_rollback(base);
  if (status != STELE_OK) st_contents_free(made);
  return status;
}
