/* guard.c - see guard.h. */
#include "engine/guard.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

stele_status st_guard_fail(stele_db *db, stele_status status, const char *format, ...) {
  va_list args;
  db->error.status = status;
  va_start(args, format);
  vsnprintf(db->error.message, sizeof db->error.message, format, args);
  va_end(args);
  return status;
}

stele_status st_guard(stele_db *db) {
  if (db) st_str_clear(&db->notes);
  return st_guard_again(db);
}

stele_status st_guard_again(stele_db *db) {
  if (!db) return STELE_MISUSE;
  db->error.status = STELE_OK;
  db->error.method[0] = db->error.field[0] = db->error.message[0] = db->error.hint[0] = '\0';
  if (db->pid != getpid())
    return st_guard_fail(db, STELE_MISUSE, "this handle was opened before fork(): open another in the child");
  return STELE_OK;
}
