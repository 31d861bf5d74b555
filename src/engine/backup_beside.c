/* backup_beside.c - see backup_beside.h. */
#include "engine/backup_beside.h"

#include <stdio.h>
#include <string.h>

stele_status st_backup_beside(st_opened *opened, int version,
                              int (*progress)(void *user, const char *what, int64_t done, int64_t total), void *user,
                              char path[ST_PATH_MAX]) {
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
  status = opened->driver->backup(reader, path, progress, user);
  if (status != STELE_OK) st_conn_fail(opened->conn, status, "%s", reader->problem);
  opened->driver->close(reader);
  return status;
}
