/* keys.c - see keys.h. */
#include "engine/keys.h"

#include <stdio.h>
#include <string.h>

const char *st_keys_pragma(const st_opened *opened) {
  if (opened->driver->engine != ST_SQLITE) return NULL;
  for (const char *const *pragma = opened->store->pragmas; *pragma; pragma++)
    if (strncmp(*pragma, "foreign_keys", strlen("foreign_keys")) == 0) return *pragma;
  return NULL;
}

static stele_status set_keys(st_opened *opened, const char *pragma) {
  char sql[100];
  snprintf(sql, sizeof sql, "PRAGMA %s", pragma);
  return opened->driver->script(opened->conn, sql);
}

stele_status st_without_keys(st_opened *opened, stele_status (*work)(st_opened *opened, void *with), void *with) {
  const char *keys = st_keys_pragma(opened);
  stele_status status = keys ? set_keys(opened, "foreign_keys = OFF") : STELE_OK;
  if (status == STELE_OK) status = work(opened, with);
  if (status == STELE_OK && keys) status = set_keys(opened, keys);
  return status;
}
