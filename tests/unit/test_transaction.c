/* test_transaction.c - transactions, and reading while something is written. */
#include "unit/shelves.h"

/* ---- Transactions --------------------------------------------------------------------------- */

static void test_commit(void **state) {
  stele_db *db = open_home(*state), *other = open_home(*state);
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  add_shelf(db, "attic");
  add_shelf(db, "cellar");
  assert_string_equal(shelves(db), "attic cellar");
  assert_string_equal(shelves(other), "");
  assert_int_equal(stele_commit(db), STELE_OK);
  assert_string_equal(shelves(other), "attic cellar");
  stele_close(db);
  stele_close(other);
}

static void test_rollback(void **state) {
  stele_db *db = open_home(*state);
  add_shelf(db, "attic");
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  add_shelf(db, "cellar");
  assert_reply(db, "sample.remove_shelf", "{\"id\":1}", "{\"count\":1}");
  assert_string_equal(shelves(db), "cellar");
  assert_int_equal(stele_rollback(db), STELE_OK);
  assert_string_equal(shelves(db), "attic");
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  add_shelf(db, "garage");
  stele_close(db); /* with the transaction open: undone */
  db = open_home(*state);
  assert_string_equal(shelves(db), "attic");
  stele_close(db);
}

/* A call that fails undoes all it did, and nothing else. */
static void test_failure_inside(void **state) {
  stele_db *db = open_home(*state);
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  add_shelf(db, "attic");
  must_fail(db, "sample.add_twins", "{\"first\":\"cellar\",\"second\":\"cellar\"}", STELE_INVALID);
  must_fail(db, "sample.put_items",
            "{\"items\":[{\"shelf_id\":1,\"label\":\"skis\"},{\"shelf_id\":1,\"label\":\"skis\"}]}", STELE_INVALID);
  must_fail(db, "sample.put_item", "{\"shelf_id\":9,\"label\":\"x\"}", STELE_NOTFOUND);
  must_fail(db, "sample.put_item", "{\"shelf_id\":1}", STELE_INVALID);
  add_shelf(db, "garage");
  assert_int_equal(stele_commit(db), STELE_OK);
  assert_string_equal(shelves(db), "attic garage");
  assert_reply(db, "sample.find_items", NULL, "[]");
  stele_close(db);
}

static void test_failure_outside(void **state) {
  stele_db *db = open_home(*state);
  add_shelf(db, "attic");
  must_fail(db, "sample.add_twins", "{\"first\":\"cellar\",\"second\":\"cellar\"}", STELE_INVALID);
  must_fail(db, "sample.put_items",
            "{\"items\":[{\"shelf_id\":1,\"label\":\"skis\"},{\"shelf_id\":1,\"label\":\"skis\"}]}", STELE_INVALID);
  assert_string_equal(shelves(db), "attic");
  assert_reply(db, "sample.find_items", NULL, "[]");
  stele_close(db);
}

/* A method that makes transactions of its own keeps those it has finished. */
static void test_transactions_of_a_method(void **state) {
  stele_db *db = open_home(*state);
  must_fail(db, "sample.put_up", "{\"name\":\"attic\",\"second\":\"\"}", STELE_INVALID);
  assert_string_equal(shelves(db), "attic");
  assert_reply(db, "sample.put_up", "{\"name\":\"cellar\",\"second\":\"garage\"}", "{\"count\":0}");
  assert_string_equal(shelves(db), "attic cellar garage last");
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  must_fail(db, "sample.put_up", "{\"name\":\"x\",\"second\":\"y\"}", STELE_MISUSE);
  assert_int_equal(stele_commit(db), STELE_OK);
  assert_string_equal(shelves(db), "attic cellar garage last");
  stele_close(db);
}

static void test_misused_transactions(void **state) {
  stele_db *db = open_home(*state);
  assert_int_equal(stele_commit(db), STELE_MISUSE);
  assert_int_equal(stele_rollback(db), STELE_MISUSE);
  assert_int_equal(stele_begin(db, "smaple"), STELE_INVALID);
  assert_int_equal(stele_begin(db, NULL), STELE_INVALID);
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  assert_int_equal(stele_begin(db, "sample"), STELE_MISUSE);
  assert_int_equal(stele_begin(db, "telemetry"), STELE_MISUSE);
  assert_non_null(strstr(stele_error(db)->message, "sample"));
  add_shelf(db, "attic"); /* the open one goes on */
  assert_int_equal(stele_commit(db), STELE_OK);
  assert_string_equal(shelves(db), "attic");
  stele_close(db);
}

/* What makes transactions of its own in a store refuses one that is open there. */
static void test_upkeep_inside_a_transaction(void **state) {
  static const char *const calls[][2] = {{"stele.retain", "{\"only\":[\"capture\"]}"}, {"stele.repair", "{\"store\":\"capture\"}"}};
  stele_db *db = open_home(*state);
  must_call(db, "stele.repair", "{}"); /* nothing is there */
  assert_int_equal(stele_begin(db, "capture"), STELE_OK);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    must_fail(db, calls[i][0], calls[i][1], STELE_MISUSE);
    assert_non_null(strstr(stele_error(db)->message, "inside a transaction"));
  }
  assert_int_equal(stele_commit(db), STELE_OK);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) must_call(db, calls[i][0], calls[i][1]);
  stele_close(db);
}

static void test_other_stores_are_not_part(void **state) {
  stele_db *db = open_home(*state);
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  add_shelf(db, "attic");
  assert_reply(db, "telemetry.create_session", NULL, "{\"session_id\":1}");
  assert_int_equal(stele_rollback(db), STELE_OK);
  assert_string_equal(shelves(db), "");
  assert_non_null(strstr(must_call(db, "telemetry.get_session_list", NULL), "\"id\":1,"));
  stele_close(db);
}

/* After some failures SQLite undoes the whole transaction.  What follows must not be kept as if
** nothing had happened. */
static void test_transaction_lost_on_the_way(void **state) {
  stele_db *db = open_home(*state);
  char args[40000] = "{\"second\":\"x\",\"first\":\"";
  add_shelf(db, "attic");
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  add_shelf(db, "cellar");
  memset(args + strlen(args), 'x', 30000);
  strcat(args, "\"}");
  sqlite3_exec(connection(db, "sample")->db, "PRAGMA max_page_count = 1", NULL, NULL, NULL); /* its present size */
  must_fail(db, "sample.add_twins", args, STELE_FULL);
  assert_true(sqlite3_get_autocommit(connection(db, "sample")->db)); /* or this test tests nothing */
  sqlite3_exec(connection(db, "sample")->db, "PRAGMA max_page_count = 100000", NULL, NULL, NULL);
  must_fail(db, "sample.add_shelf", "{\"name\":\"garage\"}", STELE_CONFLICT);
  must_fail(db, "sample.get_report", NULL, STELE_CONFLICT);
  assert_int_equal(stele_commit(db), STELE_CONFLICT);
  assert_string_equal(shelves(db), "attic");
  assert_int_equal(stele_begin(db, "sample"), STELE_OK); /* and now the whole again */
  add_shelf(db, "cellar");
  assert_int_equal(stele_commit(db), STELE_OK);
  assert_string_equal(shelves(db), "attic cellar");
  stele_close(db);
}

/* ---- Streams -------------------------------------------------------------------------------- */

static void test_writing_while_reading(void **state) {
  stele_db *db = open_home(*state);
  char args[100];
  fill(db, 50);
  stele_stmt *stmt = prepared(db, "sample.get_shelves");
  for (int i = 1; i <= 50; i++) { /* one write for each row */
    assert_next(stmt, i);
    snprintf(args, sizeof args, "{\"shelf_id\":%d,\"label\":\"thing\"}", i);
    must_call(db, "sample.put_item", args);
    if (i == 20) must_fail(db, "sample.add_twins", "{\"first\":\"x\",\"second\":\"x\"}", STELE_INVALID);
  }
  assert_int_equal(stele_step(stmt), STELE_DONE);
  stele_finalize(stmt);
  assert_string_equal(must_call(db, "sample.describe", "{\"query\":\"\",\"remark\":false}"), "{\"query\":\"\",\"count\":50}");
  stele_close(db);
}

/* Somebody else's commit makes the snapshot of the open rows an old one, from which SQLite cannot write. */
static void test_writing_while_reading_and_others_write(void **state) {
  if (!has_log()) skip();
  stele_db *db = open_home(*state), *other = open_home(*state);
  fill(db, 50);
  stele_stmt *stmt = prepared(db, "sample.get_shelves"), *second = prepared(db, "sample.get_shelves");
  for (int i = 1; i <= 10; i++) assert_next(stmt, i);
  assert_next(second, 1);
  add_shelf(other, "theirs");
  add_shelf(db, "ours");
  for (int i = 11; i <= 50; i++) assert_next(stmt, i);
  assert_int_equal(stele_step(stmt), STELE_DONE); /* the rows of its moment, no others */
  assert_next(second, 2);
  add_shelf(other, "theirs too");
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  add_shelf(db, "ours too");
  assert_next(second, 3);
  assert_int_equal(stele_commit(db), STELE_OK);
  for (int i = 4; i <= 50; i++) assert_next(second, i);
  assert_int_equal(stele_step(second), STELE_DONE);
  stele_finalize(stmt);
  stele_finalize(second);
  assert_non_null(strstr(shelves(db), "shelf 050 theirs ours theirs too ours too"));
  stele_close(db);
  stele_close(other);
}

static void test_two_statements_of_one_method(void **state) {
  stele_db *db = open_home(*state);
  fill(db, 5);
  stele_stmt *one = prepared(db, "sample.get_shelves"), *two = prepared(db, "sample.get_shelves");
  assert_next(one, 1);
  assert_next(one, 2);
  assert_next(two, 1);
  assert_next(one, 3);
  assert_next(two, 2);
  stele_finalize(one);
  for (int i = 3; i <= 5; i++) assert_next(two, i);
  assert_int_equal(stele_step(two), STELE_DONE);
  stele_close(db); /* finalizes what is open */
}

static void test_reading_inside_a_transaction(void **state) {
  stele_db *db = open_home(*state);
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  for (int i = 1; i <= 3; i++) {
    char name[20];
    snprintf(name, sizeof name, "shelf %03d", i);
    add_shelf(db, name);
  }
  stele_stmt *stmt = prepared(db, "sample.get_shelves");
  assert_next(stmt, 1);
  must_fail(db, "sample.add_twins", "{\"first\":\"x\",\"second\":\"x\"}", STELE_INVALID);
  assert_next(stmt, 2);
  assert_int_equal(stele_rollback(db), STELE_OK);
  assert_next(stmt, 3);
  assert_int_equal(stele_step(stmt), STELE_DONE);
  stele_finalize(stmt);
  assert_string_equal(shelves(db), "");
  stele_close(db);
}

/* 24 MB are written, and the log never holds much more than the 4 MB after which it is moved into the file. */
static void test_the_log_stays_small(void **state) {
  enum { EACH = 1 << 20, MOST = 8 << 20 };
  if (!has_log()) skip();
  home *h = *state;
  stele_db *db = open_home(h);
  char *args = malloc(EACH + 1), *at;
  assert_non_null(args);
  memset(args, 'x', EACH);
  at = args + sprintf(args, "{\"name\":\"");
  sprintf(args + EACH - 2, "\"}");
  *at = 'a';
  for (int i = 0; i < 24; i++, ++*at) {
    struct stat log;
    must_call(db, "sample.add_shelf", args);
    assert_int_equal(stat(path_in(h->path, "sample.db-wal"), &log), 0);
    assert_true(log.st_size <= MOST);
  }
  free(args);
  stele_close(db);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(test_commit),
      home_test(test_rollback),
      home_test(test_failure_inside),
      home_test(test_failure_outside),
      home_test(test_transactions_of_a_method),
      home_test(test_misused_transactions),
      home_test(test_upkeep_inside_a_transaction),
      home_test(test_other_stores_are_not_part),
      home_test(test_transaction_lost_on_the_way),
      home_test(test_writing_while_reading),
      home_test(test_writing_while_reading_and_others_write),
      home_test(test_two_statements_of_one_method),
      home_test(test_reading_inside_a_transaction),
      home_test(test_the_log_stays_small),
  };
  return cmocka_run_group_tests_name("transaction", tests, NULL, NULL);
}
