/* test_group.c - stele_group(), SQLite's aggregate of figures: against what GROUP BY says of the same rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/sqlite_driver.h"

/* As JSON, in an order: stele_group() has none. */
static const char ORDERED[] =
    "SELECT group_concat(value, ' ') FROM (SELECT value FROM json_each("
    "(SELECT stele_group(key, kind, detail, amount, at, id) FROM figures)) ORDER BY value)";

static int set_up(void **state) {
  sqlite3 *db = NULL;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK || st_sqlite_functions(db) != SQLITE_OK) return -1;
  *state = db;
  return sqlite3_exec(db, "CREATE TABLE figures (id INTEGER PRIMARY KEY, key INT, kind TEXT, detail TEXT, amount REAL, at REAL)", NULL,
                      NULL, NULL);
}

static int tear_down(void **state) { return sqlite3_close(*state); }

#define group_test(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static void put(sqlite3 *db, const char *rows) {
  char *problem = NULL;
  char *sql = sqlite3_mprintf("INSERT INTO figures (key, kind, detail, amount, at) %s", rows);
  sqlite3_exec(db, sql, NULL, NULL, &problem);
  if (problem) fail_msg("%s", problem);
  sqlite3_free(sql);
}

static void assert_text(sqlite3 *db, const char *sql, const char *expected) {
  sqlite3_stmt *stmt = NULL;
  if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK || sqlite3_step(stmt) != SQLITE_ROW)
    fail_msg("%s: %s", sql, sqlite3_errmsg(db));
  const char *text = (const char *)sqlite3_column_text(stmt, 0);
  assert_string_equal(text ? text : "NULL", expected);
  sqlite3_finalize(stmt);
}

static void test_no_rows(void **state) { assert_text(*state, "SELECT stele_group(key, kind, detail, amount, at, id) FROM figures", "[]"); }

/* The last is the one with the greatest time, and of several the one with the greatest id; an amount that is null counts. */
static void test_figures(void **state) {
  put(*state, "VALUES (1, 'ok', 'a', 4, 10), (1, 'ok', 'a', -2, 30), (1, 'ok', 'a', 5, 30), (1, 'ok', 'a', 1, 20),"
              " (1, 'ok', 'b', NULL, 5), (2, 'ok', 'a', NULL, 6), (2, 'ok', 'a', 7, 6), (2, NULL, NULL, 1, 0)");
  assert_text(*state, ORDERED,
              "[1,\"ok\",\"a\",4,8.0,-2.0,5.0,30.0,3] [1,\"ok\",\"b\",1,null,null,null,5.0,5] "
              "[2,\"\",\"\",1,1.0,1.0,1.0,0.0,8] [2,\"ok\",\"a\",2,7.0,7.0,7.0,6.0,7]");
}

/* Large and small amounts, in any order and of any sign, lose nothing to rounding. */
static void test_sums(void **state) {
  put(*state, "VALUES (1, '', '', 1e16, 1), (1, '', '', 1, 2), (1, '', '', -1e16, 3), (1, '', '', -3, 4), (2, '', '', 1, 1),"
              " (2, '', '', 1e16, 2), (2, '', '', 1, 3), (2, '', '', -1e16, 4)");
  assert_text(*state, ORDERED,
              "[1,\"\",\"\",4,-2.0,-10000000000000000.0,10000000000000000.0,4.0,4] [2,\"\",\"\",4,2.0,-10000000000000000.0,10000000000000000.0,4.0,8]");
}

/* Names come back as they are, but for their ends: at most 31 bytes, and no part of a character. */
static void test_names(void **state) {
  put(*state, "VALUES (1, 'a\"b\\c' || char(9), '0123456789012345678901234567890123', 1, 1),"
              " (2, '012345678901234567890123456789ä', 'x', 1, 1)");
  assert_text(*state, "SELECT json_extract(g, '$[0][1]') || '|' || json_extract(g, '$[0][2]') FROM"
                      " (SELECT stele_group(key, kind, detail, amount, at, id) AS g FROM figures WHERE key = 1)",
              "a\"b\\c\t|0123456789012345678901234567890");
  assert_text(*state, "SELECT json_extract(stele_group(key, kind, detail, amount, at, id), '$[0][1]') FROM figures WHERE key = 2",
              "012345678901234567890123456789");
}

/* More groups than there are places at first; names of the same length that begin and end alike. */
static void test_many_groups(void **state) {
  put(*state, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)"
              " SELECT i % 10, 'a' || (100 + i % 300) || 'z', 'a' || (100 + i / 300 % 5) || 'z', i, i FROM n");
  assert_text(*state,
              "WITH grouped AS (SELECT json_extract(value, '$[0]') AS key, json_extract(value, '$[1]') AS kind,"
              " json_extract(value, '$[2]') AS detail, json_extract(value, '$[3]') AS n, json_extract(value, '$[4]') AS sum,"
              " json_extract(value, '$[8]') AS last FROM json_each((SELECT stele_group(key, kind, detail, amount, at, id) FROM figures))),"
              " plain AS (SELECT key, kind, detail, count(*) AS n, sum(amount) AS sum, max(id) AS last FROM figures GROUP BY 1, 2, 3)"
              " SELECT (SELECT count(*) FROM grouped) || ' ' || (SELECT count(*) FROM"
              " (SELECT * FROM grouped EXCEPT SELECT * FROM plain UNION ALL SELECT * FROM plain EXCEPT SELECT * FROM grouped))",
              "1500 0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      group_test(test_no_rows), group_test(test_figures),     group_test(test_sums),
      group_test(test_names),   group_test(test_many_groups),
  };
  return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
