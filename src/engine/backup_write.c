/* backup_write.c - writing a backup: see backup.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/backup.h"
#include "engine/backups.h"

/* What is left to know of a copy that was verified, in its manifest; then its name. */
static stele_status describe_and_name(const char *partial, const char *path, st_manifest *about, const st_watch *watch, char problem[ST_PROBLEM_MAX]) {
  char manifest[4096];
  stele_status status = st_file_sha256(partial, -1, watch, about->sha256, &about->bytes, problem);
  if (status == STELE_OK) status = st_manifest_write(path, about, problem);
  if (status != STELE_OK) return status;
  status = st_give_name(partial, path, problem);
  if (status != STELE_OK && st_manifest_path(path, manifest)) unlink(manifest);
  return status;
}

/* The descriptor is held to the end: it tells others that the file is not abandoned. */
static stele_status write_held(st_conn *conn, const char *path, const char *partial, st_manifest *about, const st_watch *watch) {
  char problem[ST_PROBLEM_MAX] = "";
  st_contents made = {NULL, 0};
  stele_status status = conn->driver->backup(conn, partial, watch, &made);
  st_clear_away(partial, status == STELE_OK);
  if (status != STELE_OK) return status;
  if (about) about->contents = made;
  else st_contents_free(&made);
  status = about ? describe_and_name(partial, path, about, watch, problem) : st_give_name(partial, path, problem);
  if (status == STELE_OK) return STELE_OK;
  st_clear_away(partial, false);
  return st_conn_fail(conn, status, "%s", problem);
}

stele_status st_backup_write(st_conn *conn, const char *path, st_manifest *about, const st_watch *watch) {
  char partial[ST_PATH_MAX], problem[ST_PROBLEM_MAX] = "";
  int held = -1;
  if (snprintf(partial, sizeof partial, "%s.partial", path) >= (int)sizeof partial)
    return st_conn_fail(conn, STELE_INVALID, "the path is too long");
  if (access(path, F_OK) == 0) return st_conn_fail(conn, STELE_CONFLICT, "%s exists already", path);
  st_clear_abandoned(partial); /* by one that was killed in this very second */
  stele_status status = st_hold_new(partial, &held, problem);
  if (status != STELE_OK) return st_conn_fail(conn, status, "%s", problem);
  status = write_held(conn, path, partial, about, watch);
  close(held);
  return status;
}

/* That it cannot be made shows when the copy is; that it was made must last as the copy does. */
static stele_status make_directory(const char *path, char problem[ST_PROBLEM_MAX]) {
  return mkdir(path, 0700) == 0 ? st_keep_name(path, problem) : STELE_OK;
}

stele_status st_backup_store(st_opened *opened, const char *directory, const st_watch *watch, st_manifest *about, char path[ST_PATH_MAX]) {
  st_conn *conn = opened->conn;
  st_look look;
  char stem[3000], problem[ST_PROBLEM_MAX] = "";
  st_contents none;
  if (conn->driver->engine != ST_SQLITE) return conn->driver->backup(conn, directory, watch, &none);
  stele_status status = conn->driver->look(conn, &look);
  if (status != STELE_OK) return status;
  *about = (st_manifest){.version = look.version, .made = st_time_now()};
  snprintf(about->store, sizeof about->store, "%s", opened->store->name);
  status = make_directory(directory, problem);
  if (status != STELE_OK) return st_conn_fail(conn, status, "%s", problem);
  st_backups_clear(directory, opened->store->name);
  int length = snprintf(stem, sizeof stem, "%s/%s-", directory, opened->store->name);
  if (length >= (int)sizeof stem || !st_copy_path(stem, ".db", path)) return st_conn_fail(conn, STELE_INVALID, "the path is too long");
  return st_backup_write(conn, path, about, watch);
}

stele_status st_backup_beside(st_opened *opened, int version, const st_watch *watch, char path[ST_PATH_MAX]) {
  st_target target = opened->target;
  st_conn *reader = NULL;
  char stem[3000], problem[400] = "";
  path[0] = '\0';
  if (opened->driver->engine != ST_SQLITE || strcmp(opened->location, ":memory:") == 0) return STELE_OK;
  int length = snprintf(stem, sizeof stem, "%s.v%d.", opened->location, version);
  if (length >= (int)sizeof stem || !st_copy_path(stem, ".backup", path))
    return st_conn_fail(opened->conn, STELE_INVALID, "the path is too long for a backup beside it");
  target.readonly = true; /* a second connection: SQLite does not copy from one that is writing */
  stele_status status = opened->driver->open(&target, false, &reader, problem);
  if (status != STELE_OK) return st_conn_fail(opened->conn, status, "%s", problem);
  status = st_backup_write(reader, path, NULL, watch);
  if (status != STELE_OK) st_conn_fail(opened->conn, status, "%s", reader->problem);
  opened->driver->close(reader);
  return status;
}
