/* fts5_api.c - FTS5 gives its functions through a pointer that an SQL function fills in. */
#include "search/fts5_api.h"

#include <stddef.h>

int st_fts5_api(sqlite3 *db, fts5_api **out) {
  sqlite3_stmt *stmt = NULL;
  *out = NULL;
  int code = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_pointer(stmt, 1, out, "fts5_api_ptr", NULL);
  if (code == SQLITE_OK) code = sqlite3_step(stmt) == SQLITE_ROW ? SQLITE_OK : sqlite3_extended_errcode(db);
  sqlite3_finalize(stmt);
  return code == SQLITE_OK && !*out ? SQLITE_ERROR : code;
}
