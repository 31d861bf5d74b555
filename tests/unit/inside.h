/* inside.h - for tests that look into a handle. */
#ifndef ST_TEST_INSIDE_H
#define ST_TEST_INSIDE_H

#include "engine/handle.h"
#include "engine/sqlite_driver.h"
#include "unit/home.h"

/* The connection that a handle has to a store on SQLite; NULL when it has none. */
static inline st_sqlite *connection(stele_db *db, const char *store) {
  int index = 0;
  return st_store_find(store, &index) ? (st_sqlite *)db->stores[index].conn : NULL;
}

#endif
