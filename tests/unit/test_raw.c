/* test_raw.c - raw statements: values, rows, errors, transactions shared with methods, the store's turn, interruption. */
#include <pthread.h>

#include "unit/fail_alloc.h"
#include "unit/inside.h"

typedef struct fixture {
  home *home;
  stele_db *db;
  char file[PATH_SIZE];
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (home_set_up((void **)&f->home) != 0) return -1;
  stele_options options = home_options(f->home);
  if (stele_open(&options, &f->db) != STELE_OK) return -1;
  snprintf(f->file, sizeof f->file, "%s", path_in(f->home->path, "sample.db"));
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  stele_close(f->db);
  int rc = home_tear_down((void **)&f->home);
  free(f);
  return rc;
}

#define raw_test(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static stele_sql *prepare(stele_db *db, const char *text) {
  stele_sql *sql = NULL;
  if (stele_raw()->prepare(db, "sample", text, strlen(text), &sql) != STELE_OK) fail_msg("%s: %s", text, stele_error(db)->message);
  assert_non_null(sql);
  return sql;
}

/* Run a statement without parameters to its end. */
static stele_status run(stele_db *db, const char *text) {
  stele_sql *sql = prepare(db, text);
  stele_status status = stele_raw()->step(sql);
  while (status == STELE_ROW) status = stele_raw()->step(sql);
  stele_raw()->finalize(sql);
  return status;
}

static void must_run(stele_db *db, const char *text) {
  if (run(db, text) != STELE_DONE) fail_msg("%s: %s", text, stele_error(db)->message);
}

static int64_t number(stele_db *db, const char *text) {
  stele_sql *sql = prepare(db, text);
  assert_int_equal(stele_raw()->step(sql), STELE_ROW);
  int64_t value = stele_raw()->about(sql)->row[0].integer;
  stele_raw()->finalize(sql);
  return value;
}

static const stele_sql_state *state_of(fixture *f) { return stele_raw()->connection(f->db, "sample"); }

/* ---- Values and rows ------------------------------------------------------------------------ */

static void test_values(void **state) {
  fixture *f = *state;
  const stele_value values[] = {{.type = STELE_INT, .integer = INT64_MIN},
                                {.type = STELE_REAL, .real = 1.5},
                                {.type = STELE_TEXT, .bytes = "a\0b", .length = 3},
                                {.type = STELE_BLOB, .bytes = "\0\1", .length = 2},
                                {.type = STELE_NULL},
                                {.type = STELE_BLOB}};
  stele_sql *sql = prepare(f->db, "SELECT ?, ?, :text AS said, ?, ?, ?");
  const stele_sql_info *info = stele_raw()->about(sql);
  assert_int_equal(info->nparams, 6);
  assert_null(info->params[0]);
  assert_string_equal(info->params[2], ":text");
  assert_int_equal(info->ncolumns, 6);
  assert_string_equal(info->columns[2], "said");
  assert_false(info->writes);
  assert_null(info->row);
  assert_int_equal(stele_raw()->bind(sql, values, 5), STELE_INVALID);
  assert_int_equal(stele_raw()->bind(sql, values, 6), STELE_OK);
  for (int turn = 0; turn < 2; turn++) { /* what is bound outlives a reset */
    assert_int_equal(stele_raw()->step(sql), STELE_ROW);
    for (int i = 0; i < 6; i++) assert_int_equal(info->row[i].type, values[i].type);
    assert_true(info->row[0].integer == INT64_MIN);
    assert_true(info->row[1].real == 1.5);
    assert_memory_equal(info->row[2].bytes, "a\0b", 3);
    assert_int_equal(info->row[2].length, 3);
    assert_memory_equal(info->row[3].bytes, "\0\1", 2);
    assert_int_equal(info->row[5].length, 0);
    stele_raw()->reset(sql);
    assert_null(info->row);
  }
  stele_raw()->finalize(sql);
}

static void test_text_of_several(void **state) {
  fixture *f = *state;
  stele_sql *sql = prepare(f->db, "SELECT 1; SELECT 2");
  assert_int_equal(stele_raw()->about(sql)->used, 9);
  stele_raw()->finalize(sql);
  assert_int_equal(stele_raw()->prepare(f->db, "sample", " -- nothing", 11, &sql), STELE_OK);
  assert_null(sql);
  assert_int_equal(stele_raw()->prepare(f->db, "sample", "SELEC", 5, &sql), STELE_INTERNAL);
  assert_null(sql);
  assert_string_equal(stele_error(f->db)->message, "near \"SELEC\": syntax error");
  assert_int_equal(state_of(f)->code, SQLITE_ERROR);
  assert_int_equal(stele_raw()->prepare(f->db, "nothing", "SELECT 1", 8, &sql), STELE_INVALID);
  assert_null(stele_raw()->connection(f->db, "nothing"));
  stele_raw()->finalize(NULL);
  assert_int_equal(stele_raw()->step(NULL), STELE_MISUSE);
}

static void test_changes(void **state) {
  fixture *f = *state;
  must_run(f->db, "CREATE TABLE t (a INTEGER PRIMARY KEY, b UNIQUE)");
  must_run(f->db, "INSERT INTO t (b) VALUES (1), (2), (3)");
  assert_int_equal(state_of(f)->changes, 3);
  assert_int_equal(state_of(f)->last_rowid, 3);
  assert_int_equal(run(f->db, "INSERT INTO t (b) VALUES (1)"), STELE_INVALID);
  assert_int_equal(state_of(f)->code, SQLITE_CONSTRAINT_UNIQUE);
  assert_string_equal(stele_error(f->db)->message, "UNIQUE constraint failed: t.b");
  must_run(f->db, "DELETE FROM t WHERE b = \"2\" OR a = 2"); /* a text in double quotes */
  assert_int_equal(state_of(f)->code, 0);
  assert_int_equal(state_of(f)->total_changes, 4);
}

/* A table that has changed under a prepared statement has other columns. */
static void test_columns_change(void **state) {
  fixture *f = *state;
  must_run(f->db, "CREATE TABLE t (a)");
  must_run(f->db, "INSERT INTO t VALUES (1)");
  stele_sql *sql = prepare(f->db, "SELECT * FROM t");
  assert_int_equal(stele_raw()->about(sql)->ncolumns, 1);
  must_run(f->db, "ALTER TABLE t ADD COLUMN b DEFAULT 7");
  assert_int_equal(stele_raw()->step(sql), STELE_ROW);
  assert_int_equal(stele_raw()->about(sql)->ncolumns, 2);
  assert_string_equal(stele_raw()->about(sql)->columns[1], "b");
  assert_int_equal(stele_raw()->about(sql)->row[1].integer, 7);
  stele_raw()->finalize(sql);
}

/* ---- The file, as it is --------------------------------------------------------------------- */

static void test_opened_as_it_is(void **state) {
  fixture *f = *state;
  must_run(f->db, "CREATE TABLE foreigner (a)");
  assert_int_equal(number(f->db, "SELECT count(*) FROM sqlite_master"), 1);
  must_fail(f->db, "sample.add_shelf", "{\"name\":\"attic\"}", STELE_FORMAT); /* methods look at it, and refuse */
  assert_int_equal(number(f->db, "SELECT count(*) FROM foreigner"), 0); /* while statements go on */
  must_run(f->db, "DROP TABLE foreigner");
  must_call(f->db, "sample.add_shelf", "{\"name\":\"attic\"}"); /* now it is fresh */
  assert_int_equal(number(f->db, "SELECT count(*) FROM shelves"), 1);
}

/* ---- Transactions --------------------------------------------------------------------------- */

static void test_methods_join(void **state) {
  fixture *f = *state;
  must_call(f->db, "sample.add_shelf", "{\"name\":\"attic\"}");
  assert_false(state_of(f)->in_transaction);
  must_run(f->db, "BEGIN IMMEDIATE");
  assert_true(state_of(f)->in_transaction);
  must_call(f->db, "sample.add_shelf", "{\"name\":\"cellar\"}");
  assert_int_equal(number(f->db, "SELECT count(*) FROM shelves"), 2);
  must_run(f->db, "ROLLBACK");
  assert_false(state_of(f)->in_transaction);
  assert_int_equal(number(f->db, "SELECT count(*) FROM shelves"), 1);
  must_run(f->db, "BEGIN");
  must_run(f->db, "DELETE FROM shelves");
  assert_int_equal(stele_begin(f->db, "sample"), STELE_MISUSE); /* one is open already */
  assert_int_equal(stele_rollback(f->db), STELE_OK);            /* and is ended as any other */
  assert_false(state_of(f)->in_transaction);
  assert_sql(f->file, "SELECT count(*) FROM shelves", "1");
}

/* A write that is not committed has the turn; nobody else gets it until it is.  Who is to get it waits long: on a busy machine
** it may take its time. */
static void test_turn(void **state) {
  fixture *f = *state;
  stele_options options = home_options(f->home);
  must_call(f->db, "sample.add_shelf", "{\"name\":\"attic\"}");
  stele_db *patient = must_open(&options);
  options.wait_ms = 50;
  stele_db *other = must_open(&options);
  static const char *const beginnings[][2] = {{"BEGIN IMMEDIATE", "SELECT 1"}, {"BEGIN", "UPDATE shelves SET name = name"}};
  for (size_t i = 0; i < 2; i++) {
    must_run(f->db, beginnings[i][0]);
    must_run(f->db, beginnings[i][1]);
    must_fail(other, "sample.add_shelf", "{\"name\":\"late\"}", STELE_BUSY);
    assert_int_equal(run(other, "DELETE FROM shelves"), STELE_BUSY);
    assert_int_equal(stele_raw()->connection(other, "sample")->code, SQLITE_BUSY);
    assert_int_equal(number(other, "SELECT count(*) FROM shelves"), 1); /* readers do not wait */
    must_run(f->db, i ? "COMMIT" : "ROLLBACK");
    must_run(patient, "UPDATE shelves SET name = name");
  }
  /* A statement that has told only some of its rows still writes. */
  stele_sql *sql = prepare(f->db, "INSERT INTO shelves (name) VALUES ('a'), ('b') RETURNING name");
  assert_int_equal(stele_raw()->step(sql), STELE_ROW);
  assert_int_equal(run(other, "DELETE FROM shelves"), STELE_BUSY);
  stele_raw()->finalize(sql);
  must_run(patient, "DELETE FROM shelves");
  stele_close(patient);
  stele_close(other);
}

static void test_readonly(void **state) {
  fixture *f = *state;
  must_call(f->db, "sample.add_shelf", "{\"name\":\"attic\"}");
  stele_options options = home_options(f->home);
  options.flags = STELE_OPEN_READONLY;
  stele_db *reader = must_open(&options);
  assert_int_equal(number(reader, "SELECT count(*) FROM shelves"), 1);
  assert_int_equal(run(reader, "DELETE FROM shelves"), STELE_READONLY);
  stele_close(reader);
}

/* ---- What must not go wrong ----------------------------------------------------------------- */

static void test_close_with_open_statement(void **state) {
  fixture *f = *state;
  stele_options options = home_options(f->home);
  must_run(f->db, "CREATE TABLE t (a)");
  stele_db *other = must_open(&options);
  must_run(other, "BEGIN IMMEDIATE");
  stele_sql *sql = prepare(other, "INSERT INTO t VALUES (1), (2) RETURNING a");
  assert_int_equal(stele_raw()->step(sql), STELE_ROW);
  stele_close(other); /* what was not committed is undone */
  must_run(f->db, "UPDATE t SET a = 1");
  assert_int_equal(number(f->db, "SELECT count(*) FROM t"), 0);
}

/* A rollback failed, and a method dropped the connection: its statements say so, and those of other stores go on. */
static void test_dropped_connection(void **state) {
  fixture *f = *state;
  const stele_raw_functions *raw = stele_raw();
  must_call(f->db, "sample.find_items", NULL);
  stele_sql *here = prepare(f->db, "SELECT 1"), *elsewhere = NULL;
  assert_int_equal(raw->prepare(f->db, "telemetry", "SELECT 2", 8, &elsewhere), STELE_OK);
  connection(f->db, "sample")->base.stuck = true;
  must_call(f->db, "sample.find_items", NULL);
  assert_int_equal(raw->step(here), STELE_MISUSE);
  assert_string_equal(stele_error(f->db)->message, "the connection was closed: prepare the statement again");
  assert_int_equal(raw->bind(here, NULL, 0), STELE_MISUSE);
  raw->reset(here);
  assert_int_equal(raw->about(here)->ncolumns, 0);
  must_call(f->db, "sample.find_items", NULL);
  connection(f->db, "sample")->base.stuck = true; /* once more, with a statement that is lost already */
  must_call(f->db, "sample.find_items", NULL);
  raw->finalize(here);
  assert_int_equal(raw->step(elsewhere), STELE_ROW);
  raw->finalize(elsewhere);
  assert_int_equal(number(f->db, "SELECT 1"), 1);
}

static void test_no_memory(void **state) {
  fixture *f = *state;
  must_run(f->db, "CREATE TABLE t (a, b)");
  bool reached = true;
  for (int n = 1; reached; n++) {
    stele_sql *sql = NULL;
    fail_alloc_nth(n);
    stele_status status = stele_raw()->prepare(f->db, "sample", "SELECT a, b, ? FROM t", 21, &sql);
    if (status == STELE_OK) status = stele_raw()->bind(sql, &(stele_value){.type = STELE_INT}, 1);
    if (status == STELE_OK) status = stele_raw()->step(sql);
    reached = fail_alloc_end();
    assert_int_equal(status, reached ? STELE_NOMEM : STELE_DONE);
    stele_raw()->finalize(sql);
    assert_true(n < 100);
  }
  /* A connection that is not there yet. */
  for (int n = 1; n < 200; n++) {
    stele_options options = home_options(f->home);
    stele_db *other = must_open(&options);
    stele_sql *sql = NULL;
    fail_alloc_nth(n);
    stele_status status = stele_raw()->prepare(other, "sample", "SELECT 1", 8, &sql);
    reached = fail_alloc_end();
    assert_true(status == STELE_OK || status == STELE_NOMEM);
    stele_close(other);
    if (!reached) break;
  }
  assert_false(reached);
}

static int use_in_child(void *argument) {
  fixture *f = argument;
  stele_sql *sql = NULL;
  int wrong = differs(f->db, stele_raw()->prepare(f->db, "sample", "SELECT 1", 8, &sql), STELE_MISUSE, "prepare");
  return wrong || stele_raw()->connection(f->db, "sample") != NULL;
}

static void test_fork(void **state) {
  fixture *f = *state;
  stele_sql *sql = prepare(f->db, "SELECT 1 UNION SELECT 2");
  assert_int_equal(stele_raw()->step(sql), STELE_ROW);
  assert_int_equal(in_child(use_in_child, f), 0);
  assert_int_equal(stele_raw()->step(sql), STELE_ROW);
  stele_raw()->finalize(sql);
}

/* ---- Interruption --------------------------------------------------------------------------- */

static void *interrupt_soon(void *db) {
  usleep(50000);
  stele_interrupt(db);
  return NULL;
}

static void test_interrupt(void **state) {
  fixture *f = *state;
  pthread_t other;
  stele_sql *sql = prepare(f->db, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
  assert_int_equal(pthread_create(&other, NULL, interrupt_soon, f->db), 0);
  assert_int_equal(stele_raw()->step(sql), STELE_CANCELLED);
  pthread_join(other, NULL);
  stele_raw()->finalize(sql);
  assert_int_equal(number(f->db, "SELECT 7"), 7); /* the next one is not stopped */
  stele_interrupt(NULL);
}

/* ---- Misuse --------------------------------------------------------------------------------- */

static void test_misused(void **state) {
  fixture *f = *state;
  const stele_raw_functions *raw = stele_raw();
  stele_sql *sql = NULL;
  assert_int_equal(raw->prepare(NULL, "sample", "SELECT 1", 8, &sql), STELE_MISUSE);
  assert_int_equal(raw->prepare(f->db, NULL, "SELECT 1", 8, &sql), STELE_INVALID);
  assert_int_equal(raw->prepare(f->db, "nowhere", "SELECT 1", 8, &sql), STELE_INVALID);
  assert_null(sql);
  assert_int_equal(raw->bind(NULL, NULL, 0), STELE_MISUSE);
  assert_int_equal(raw->step(NULL), STELE_MISUSE);
  raw->reset(NULL);
  raw->finalize(NULL);
  assert_non_null(raw->about(NULL));
  assert_null(raw->connection(NULL, "sample"));
  assert_null(raw->connection(f->db, NULL));
  assert_null(raw->connection(f->db, "nowhere"));
  assert_non_null(raw->connection(f->db, "telemetry")); /* not opened yet: nothing is wrong there */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      raw_test(test_misused),
      raw_test(test_values),       raw_test(test_text_of_several), raw_test(test_changes),
      raw_test(test_columns_change), raw_test(test_opened_as_it_is), raw_test(test_methods_join),
      raw_test(test_turn),         raw_test(test_readonly),        raw_test(test_close_with_open_statement),
      raw_test(test_no_memory),    raw_test(test_fork),            raw_test(test_interrupt),
      raw_test(test_dropped_connection),
  };
  return cmocka_run_group_tests_name("raw", tests, NULL, NULL);
}
