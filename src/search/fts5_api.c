/* fts5_api.c - FTS5 gives its functions through a pointer that an SQL function fills in. */
#include "search/fts5_api.h"

#include <stddef.h>

fts5_api *st_fts5_api(sqlite3 *db) {
  fts5_api *api = NULL;
  sqlite3_stmt *stmt = NULL;
  if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &stmt, NULL) == SQLITE_OK) {
    sqlite3_bind_pointer(stmt, 1, &api, "fts5_api_ptr", NULL);
    sqlite3_step(stmt);
  }
  return sqlite3_finalize(stmt) == SQLITE_OK ? api : NULL;
}
