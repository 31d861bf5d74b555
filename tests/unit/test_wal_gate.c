/* test_wal_gate.c - what Stele does with a SQLite library that has the WAL-reset bug. */
#include <signal.h>

#include "unit/inside.h"

/* ---- Which versions are safe ---------------------------------------------------------------- */

static void test_versions(void **state) {
  static const struct {
    int version;
    bool safe;
  } cases[] = {
      {3007000, false}, {3008011, false}, {3040001, false}, {3044000, false}, {3044005, false}, {3044006, true},
      {3044099, true},  {3045000, false}, {3045001, false}, {3049002, false}, {3050000, false}, {3050006, false},
      {3050007, true},  {3050099, true},  {3051000, false}, {3051002, false}, {3051003, true},  {3051004, true},
      {3052000, false}, {3052001, false}, {3053000, true},  {3053004, true},  {3054000, true},  {4000000, true},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (st_sqlite_wal_safe(cases[i].version) != cases[i].safe) fail_msg("%d", cases[i].version);
}

static void test_this_library(void **state) {
  (void)state;
  assert_int_equal(st_sqlite_version(), sqlite3_libversion_number());
}

/* ---- What the tests share ------------------------------------------------------------------- */

static int old_version(void) { return 3040001; }
static int new_version(void) { return 3053004; }

static int gate_set_up(void **state) {
  st_sqlite_version = old_version;
  return home_set_up(state);
}

static int gate_tear_down(void **state) {
  st_sqlite_version = sqlite3_libversion_number;
  return home_tear_down(state);
}

#define gate_test(function) cmocka_unit_test_setup_teardown(function, gate_set_up, gate_tear_down)

static void count_warnings(void *user, stele_log_level level, const char *message) {
  if (level == STELE_LOG_WARNING && strstr(message, "WAL-reset")) ++*(int *)user;
}

/* Options with a log that counts warnings of the bug. */
static stele_options options_counting(const home *h, int *warnings) {
  stele_options options = home_options(h);
  options.log = count_warnings;
  options.user = warnings;
  *warnings = 0;
  return options;
}

/* A store as a good library leaves it: with a write-ahead log. */
static const char *make_with_log(const home *h) {
  st_sqlite_version = new_version;
  stele_db *db = open_home(h);
  must_call(db, "sample.add_shelf", "{\"name\":\"attic\"}");
  stele_close(db);
  st_sqlite_version = old_version;
  const char *path = path_in(h->path, "sample.db");
  assert_sql(path, "PRAGMA journal_mode", "wal");
  return path;
}

/* ---- New files ------------------------------------------------------------------------------ */

static void test_a_good_library_uses_a_log(void **state) {
  int warnings;
  stele_options options = options_counting(*state, &warnings);
  const char *path = make_with_log(*state);
  st_sqlite_version = new_version;
  stele_db *db = must_open(&options);
  must_call(db, "sample.add_shelf", "{\"name\":\"cellar\"}");
  assert_non_null(strstr(must_call(db, "stele.version", NULL), "\"sqlite_wal_safe\":true"));
  stele_close(db);
  assert_sql(path, "PRAGMA journal_mode", "wal");
  assert_int_equal(warnings, 0);
}

static void test_new_files_have_no_log(void **state) {
  home *h = *state;
  int warnings;
  stele_options options = options_counting(h, &warnings);
  stele_db *db = must_open(&options), *other = must_open(&options);
  must_call(db, "sample.add_shelf", "{\"name\":\"attic\"}");
  must_call(other, "sample.add_shelf", "{\"name\":\"cellar\"}");
  assert_non_null(strstr(must_call(db, "stele.version", NULL), "\"sqlite_wal_safe\":false"));
  assert_int_equal(access(path_in(h->path, "sample.db-wal"), F_OK), -1);
  stele_close(other);
  stele_close(db);
  assert_sql(path_in(h->path, "sample.db"), "PRAGMA journal_mode", "delete");
  assert_sql(path_in(h->path, "sample.db"), "SELECT group_concat(name) FROM shelves", "attic,cellar");
  assert_int_equal(warnings, 0);
}

/* A transaction so large that part of it is in the file already. */
static int write_and_die(void *argument) {
  static const char sql[] =
      "PRAGMA cache_size = 5; BEGIN IMMEDIATE; INSERT INTO shelves (name) VALUES ('lost');"
      "INSERT INTO history WITH RECURSIVE n (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < 9999)"
      " SELECT number, 'lost' FROM n";
  stele_options options = home_options(argument);
  stele_db *db = NULL;
  if (stele_open(&options, &db) != STELE_OK || stele_call(db, "sample.get_shelves", NULL, NULL) != STELE_OK) return 1;
  if (sqlite3_exec(connection(db, "sample")->db, sql, NULL, NULL, NULL) != SQLITE_OK) return 2;
  raise(SIGKILL);
  return 3;
}

/* The journal that a killed writer leaves behind must be rolled back, which a look cannot. */
static void test_killed_without_a_log(void **state) {
  home *h = *state;
  stele_db *db = open_home(h);
  must_call(db, "sample.add_shelf", "{\"name\":\"attic\"}");
  stele_close(db);
  assert_int_equal(in_child(write_and_die, h), -SIGKILL);
  size_t length;
  char *journal = read_bytes(path_in(h->path, "sample.db-journal"), &length);
  assert_true(length > 512 && journal[0] != 0); /* it is to be rolled back, or this test tests nothing */
  free(journal);
  db = open_home(h);
  must_call(db, "sample.add_shelf", "{\"name\":\"cellar\"}");
  stele_close(db);
  assert_sql(path_in(h->path, "sample.db"), "SELECT group_concat(name) FROM shelves", "attic,cellar");
  assert_sql(path_in(h->path, "sample.db"), "PRAGMA integrity_check", "ok");
}

static int close_inherited(void *argument) {
  stele_close(argument);
  return 0;
}

/* A child that closes its parent's handle must not roll its parent's transaction back. */
static void test_a_child_leaves_the_journal_alone(void **state) {
  home *h = *state;
  stele_db *db = open_home(h);
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  must_call(db, "sample.add_shelf", "{\"name\":\"attic\"}");
  assert_int_equal(in_child(close_inherited, db), 0);
  assert_int_equal(access(path_in(h->path, "sample.db-journal"), F_OK), 0);
  assert_int_equal(stele_commit(db), STELE_OK);
  stele_close(db);
  assert_sql(path_in(h->path, "sample.db"), "SELECT group_concat(name) FROM shelves", "attic");
}

/* ---- Files that have a log already ---------------------------------------------------------- */

static void test_a_log_is_kept_with_a_warning(void **state) {
  int warnings;
  stele_options options = options_counting(*state, &warnings);
  const char *path = make_with_log(*state);
  stele_db *db = must_open(&options);
  must_call(db, "sample.add_shelf", "{\"name\":\"cellar\"}");
  stele_close(db);
  assert_int_equal(warnings, 1);
  assert_sql(path, "PRAGMA journal_mode", "wal");
  assert_sql(path, "SELECT group_concat(name) FROM shelves", "attic,cellar");
}

typedef struct holder {
  const home *home;
  int told[2], wanted[2];
} holder;

/* Another process has the store open until it is told to close it. */
static int hold_open(void *argument) {
  holder *h = argument;
  close(h->wanted[1]); /* so that it ends with its parent */
  stele_options options = home_options(h->home);
  stele_db *db = NULL;
  char byte;
  st_sqlite_version = new_version;
  if (stele_open(&options, &db) != STELE_OK || stele_call(db, "sample.get_shelves", NULL, NULL) != STELE_OK) return 1;
  if (write(h->told[1], "x", 1) != 1 || read(h->wanted[0], &byte, 1) != 1) return 2;
  stele_close(db);
  return 0;
}

static void test_a_log_in_use_is_not_written(void **state) {
  home *h = *state;
  holder other = {.home = h};
  char byte;
  const char *path = make_with_log(h);
  assert_false(st_sqlite_wal_in_use(path));
  assert_int_equal(pipe(other.told), 0);
  assert_int_equal(pipe(other.wanted), 0);
  pid_t child = start_child(hold_open, &other);
  assert_int_equal(read(other.told[0], &byte, 1), 1);
  assert_true(st_sqlite_wal_in_use(path));

  stele_options options = home_options(h);
  stele_db *db = must_open(&options);
  must_fail(db, "sample.add_shelf", "{\"name\":\"cellar\"}", STELE_READONLY);
  assert_non_null(strstr(stele_error(db)->message, "in use by others"));
  options.flags = STELE_OPEN_READONLY;
  stele_db *reader = must_open(&options);
  assert_non_null(strstr(must_call(reader, "sample.get_shelves", NULL), "attic"));
  stele_close(reader);

  assert_int_equal(write(other.wanted[1], "x", 1), 1);
  assert_int_equal(wait_child(child), 0);
  must_call(db, "sample.add_shelf", "{\"name\":\"cellar\"}"); /* the same handle, now that it is alone */
  stele_close(db);
  for (int i = 0; i < 2; i++) close(other.told[i]), close(other.wanted[i]);
}

static int is_in_use(void *argument) { return st_sqlite_wal_in_use(argument) ? 0 : 1; }

/* The question itself would drop the locks of this process: it must not be asked again. */
static void test_a_second_handle_keeps_the_locks(void **state) {
  const home *h = *state;
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s", make_with_log(h));
  stele_db *db = open_home(h);
  must_call(db, "sample.add_shelf", "{\"name\":\"cellar\"}");
  assert_int_equal(in_child(is_in_use, path), 0);
  stele_db *second = open_home(h);
  must_call(second, "sample.add_shelf", "{\"name\":\"garage\"}");
  assert_int_equal(in_child(is_in_use, path), 0);
  must_call(db, "stele.status", NULL);
  assert_int_equal(in_child(is_in_use, path), 0);
  stele_close(second);
  assert_int_equal(in_child(is_in_use, path), 0);
  must_call(db, "sample.add_shelf", "{\"name\":\"shed\"}");
  stele_close(db);
  assert_int_equal(in_child(is_in_use, path), 1);
  assert_sql(path, "SELECT group_concat(name) FROM shelves", "attic,cellar,garage,shed");
}

static void test_in_use_of_nothing(void **state) {
  home *h = *state;
  assert_false(st_sqlite_wal_in_use(path_in(h->directory, "missing.db")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_versions),
      cmocka_unit_test(test_this_library),
      gate_test(test_a_good_library_uses_a_log),
      gate_test(test_new_files_have_no_log),
      gate_test(test_killed_without_a_log),
      gate_test(test_a_child_leaves_the_journal_alone),
      gate_test(test_a_log_is_kept_with_a_warning),
      gate_test(test_a_log_in_use_is_not_written),
      gate_test(test_a_second_handle_keeps_the_locks),
      gate_test(test_in_use_of_nothing),
  };
  return cmocka_run_group_tests_name("wal_gate", tests, NULL, NULL);
}
