/* inside.h - for tests that look into a handle. */
#ifndef ST_TEST_INSIDE_H
#define ST_TEST_INSIDE_H

#include "engine/handle.h"
#include "engine/sqlite_driver.h"
#include "engine/sqlite_wal.h"
#include "unit/home.h"

/* The connection that a handle has to a store on SQLite; NULL when it has none. */
static inline st_sqlite *connection(stele_db *db, const char *store) {
  int index = 0;
  return st_store_find(store, &index) ? (st_sqlite *)db->stores[index].conn : NULL;
}

/* Where SQLite has the WAL-reset bug files have no log, and readers are in the way of writers. */
static inline bool has_log(void) { return st_sqlite_wal_safe(st_sqlite_version()); }

#endif
