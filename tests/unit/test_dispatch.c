/* test_dispatch.c - what a call does with the database's answers, and with rows that are still being read when something else happens. */
#include "base/arena.h"
#include "unit/fail_alloc.h"
#include "unit/shelves.h"

/* ---- Answers -------------------------------------------------------------------------------- */

static void numbers_are_of_the_type_that_was_declared(void **state) {
  stele_db *db = open_home(*state);
  assert_reply(db, "sample.get_measures", NULL, "{\"weight\":7.0,\"count\":2,\"part\":2.5,\"far\":1e+300,\"yes\":true}");
  stele_close(db);
}

static void what_is_not_there_is_named(void **state) {
  static const struct {
    const char *method, *args, *message;
  } cases[] = {{"sample.take_item", "{}", "sample.take_item: there is none"},
               {"sample.weigh", "{\"weight\":0.5}", "sample.weigh: there is none"},
               {"sample.find_shelf", "{\"name\":\"upper\"}", "sample.find_shelf: name upper does not exist"},
               {"sample.claim_item", "{\"id\":7,\"note\":\"mine\"}", "sample.claim_item: id 7 does not exist"}};
  stele_db *db = open_home(*state);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    must_fail(db, cases[i].method, cases[i].args, STELE_NOTFOUND);
    assert_string_equal(stele_error(db)->message, cases[i].message);
  }
  stele_close(db);
}

/* ---- What another process took away ----------------------------------------------------------- */

/* The tables of a feature are gone since they were last looked for: the call makes them anew, and is run again. */
static void what_was_taken_away_is_made_again(void **state) {
  static const char one[] = "{\"thread\":\"t\",\"checkpoint\":\"1\",\"type\":\"json\",\"state\":\"\"}";
  home *h = *state;
  stele_db *db = open_home(h);
  const char *path = path_in(h->path, "conversation.db");
  for (int i = 0; i < 2; i++) must_call(db, "conversation.save_checkpoint", one); /* makes them, and finds them */
  sql_run(path, "DROP TABLE stele_checkpoint; DROP TABLE stele_checkpoint_value; DROP TABLE stele_checkpoint_write");
  must_call(db, "conversation.save_checkpoint", one);
  assert_sql(path, "SELECT count(*) FROM stele_checkpoint", "1");
  stele_close(db);
}

/* ---- Rows that are still being read ----------------------------------------------------------- */

/* A statement that has told its first row. */
static stele_stmt *reading(stele_db *db, const char *method) {
  stele_stmt *stmt = prepared(db, method);
  assert_int_equal(stele_step(stmt), STELE_ROW);
  return stmt;
}

static int count_rest(stele_stmt *stmt, stele_status *status) {
  int rows = 0;
  while ((*status = stele_step(stmt)) == STELE_ROW) rows++;
  return rows;
}

static void rows_are_read_on_when_the_handle_writes(void **state) {
  stele_db *db = open_home(*state);
  stele_status status;
  fill(db, 20);
  must_call(db, "telemetry.create_session", NULL);
  stele_stmt *here = reading(db, "sample.get_shelves"), *elsewhere = reading(db, "telemetry.get_session_list");
  add_shelf(db, "another");
  assert_int_equal(count_rest(here, &status), 19);
  assert_int_equal(status, STELE_DONE);
  assert_int_equal(count_rest(elsewhere, &status), 0);
  assert_int_equal(status, STELE_DONE);
  stele_finalize(here);
  stele_finalize(elsewhere);
  stele_close(db);
}

/* Whatever piece of memory is missing: either all rows come, or it is told that they do not. */
static void rows_that_find_no_memory_are_told(void **state) {
  stele_db *db = open_home(*state);
  stele_status status = STELE_OK;
  bool reached = true;
  int failures = 0;
  fill(db, 20);
  for (int n = 1; reached; n++) {
    stele_stmt *stmt = reading(db, "sample.get_shelves");
    fail_alloc_nth(n);
    st_arena_fails = st_alloc_fails;
    st_alloc_fails = NULL;
    stele_status begun = stele_begin(db, "sample");
    st_arena_fails = NULL;
    reached = fail_alloc_end();
    int rows = count_rest(stmt, &status);
    assert_true(status == STELE_DONE ? rows == 19 : status == STELE_NOMEM);
    failures += status == STELE_NOMEM;
    stele_finalize(stmt);
    if (begun == STELE_OK) stele_rollback(db);
  }
  assert_true(failures > 0);
  stele_close(db);
}

/* A rollback has failed, and with it the connection: rows that it was to tell are lost, and the next call has a new one. */
static void rows_of_a_connection_that_is_dropped_are_told_to_be_lost(void **state) {
  stele_db *db = open_home(*state);
  stele_status status;
  fill(db, 20);
  must_call(db, "telemetry.create_session", NULL);
  stele_stmt *here = reading(db, "sample.get_shelves"), *elsewhere = reading(db, "telemetry.get_session_list");
  stele_stmt *idle = prepared(db, "sample.get_shelves");
  connection(db, "sample")->base.stuck = true;
  must_call(db, "sample.find_items", "{}");
  assert_int_equal(count_rest(here, &status), 0);
  assert_int_equal(status, STELE_NOMEM);
  assert_int_equal(count_rest(elsewhere, &status), 0);
  assert_int_equal(status, STELE_DONE);
  assert_int_equal(count_rest(idle, &status), 20);
  stele_finalize(here);
  stele_finalize(elsewhere);
  stele_finalize(idle);
  stele_close(db);
}

static void a_store_in_memory_is_not_dropped(void **state) {
  stele_options options = {.size = sizeof options, .home = ":memory:"};
  stele_db *db = must_open(&options);
  (void)state;
  add_shelf(db, "only");
  connection(db, "sample")->base.stuck = true;
  assert_string_equal(shelves(db), "only");
  stele_close(db);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(numbers_are_of_the_type_that_was_declared),
      home_test(what_is_not_there_is_named),
      home_test(what_was_taken_away_is_made_again),
      home_test(rows_are_read_on_when_the_handle_writes),
      home_test(rows_that_find_no_memory_are_told),
      home_test(rows_of_a_connection_that_is_dropped_are_told_to_be_lost),
      cmocka_unit_test(a_store_in_memory_is_not_dropped),
  };
  return cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);
}
