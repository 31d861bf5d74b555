/* shelves.h - the sample store's shelves, for tests that only need some rows. */
#ifndef ST_TEST_SHELVES_H
#define ST_TEST_SHELVES_H

#include "unit/inside.h"

static inline void add_shelf(stele_db *db, const char *name) {
  char args[100];
  snprintf(args, sizeof args, "{\"name\":\"%s\"}", name);
  must_call(db, "sample.add_shelf", args);
}

/* The names of all shelves, as this handle sees them. */
static inline const char *shelves(stele_db *db) {
  static char names[4096];
  stele_stmt *stmt = NULL;
  size_t used = 0;
  names[0] = '\0';
  assert_int_equal(stele_prepare(db, "sample.get_shelves", &stmt), STELE_OK);
  stele_status status;
  while ((status = stele_step(stmt)) == STELE_ROW)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? " " : "", stele_column_text(stmt, 1));
  assert_int_equal(status, STELE_DONE);
  stele_finalize(stmt);
  return names;
}

static inline stele_stmt *prepared(stele_db *db, const char *method) {
  stele_stmt *stmt = NULL;
  if (stele_prepare(db, method, &stmt) != STELE_OK) fail_msg("%s", stele_error(db)->message);
  return stmt;
}

static inline void fill(stele_db *db, int count) {
  char args[100];
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  for (int i = 1; i <= count; i++) {
    snprintf(args, sizeof args, "shelf %03d", i);
    add_shelf(db, args);
  }
  assert_int_equal(stele_commit(db), STELE_OK);
}

/* The next row must be this shelf. */
static inline void assert_next(stele_stmt *stmt, int number) {
  char name[20];
  snprintf(name, sizeof name, "shelf %03d", number);
  assert_int_equal(stele_step(stmt), STELE_ROW);
  assert_int_equal(stele_column_int(stmt, 0), number);
  assert_string_equal(stele_column_text(stmt, 1), name);
}

#endif
