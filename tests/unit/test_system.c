/* test_system.c - the library's own methods about its stores: stele.status, stele.backup, stele.schema. */
#include <dirent.h>

#include "unit/inside.h"

/* ---- What the tests share ------------------------------------------------------------------- */

static void add_shelf(stele_db *db, const char *name) {
  char args[100];
  snprintf(args, sizeof args, "{\"name\":\"%s\"}", name);
  must_call(db, "sample.add_shelf", args);
}

static int count_files(const char *directory) {
  DIR *dir = opendir(directory);
  int count = 0;
  if (!dir) return 0;
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) count += entry->d_name[0] != '.';
  closedir(dir);
  return count;
}

/* ---- Status --------------------------------------------------------------------------------- */

/* The row of the sample store. */
static const char *sample_row(stele_db *db) {
  const char *reply = must_call(db, "stele.status", NULL);
  const char *row = strstr(reply, "{\"store\":\"sample\"");
  assert_non_null(row);
  return row;
}

static void assert_state(stele_db *db, const char *state) {
  char expected[100];
  snprintf(expected, sizeof expected, "\"state\":\"%s\"", state);
  const char *row = sample_row(db);
  if (!strstr(row, expected)) fail_msg("not %s: %s", state, row);
}

static void test_status_creates_nothing(void **state) {
  home *h = *state;
  stele_db *db = open_home(h);
  assert_state(db, "absent");
  assert_non_null(strstr(sample_row(db), "\"version\":null,\"knows\":3,\"durability\":\"full\",\"bytes\":null"));
  stele_close(db);
  assert_int_equal(access(h->path, F_OK), -1);
}

static void test_status_of_a_store_in_use(void **state) {
  stele_db *db = open_home(*state), *other = open_home(*state);
  add_shelf(db, "attic");
  add_shelf(db, "cellar");
  assert_state(db, "current");
  assert_non_null(strstr(sample_row(db), "\"commits\":3,")); /* the tables, and two shelves */
  assert_state(other, "current");
  assert_non_null(strstr(sample_row(other), "\"version\":3"));
  assert_non_null(strstr(sample_row(other), "\"commits\":0,")); /* counted by handle */
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  assert_state(db, "current"); /* inside a transaction too */
  assert_int_equal(stele_rollback(db), STELE_OK);
  stele_close(db);
  stele_close(other);
}

static void test_status_of_what_cannot_be_used(void **state) {
  home *h = *state;
  stele_db *db = open_home(h);
  const char *path = path_in(h->path, "sample.db");
  assert_int_equal(mkdir(h->path, 0700), 0);
  fclose(fopen(path, "w"));
  assert_state(db, "fresh");
  sql_run(path, "CREATE TABLE mail (id)");
  assert_state(db, "foreign");
  assert_non_null(strstr(sample_row(db), "\"problem\":\"it has tables, but no version mark\""));
  sql_run(path, "PRAGMA user_version = 9");
  assert_state(db, "newer");
  unlink(path);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_state(db, "unreachable");
  stele_close(db);
}

static void test_status_in_memory(void **state) {
  (void)state;
  stele_options options = {.size = sizeof options, .home = ":memory:"};
  stele_db *db = must_open(&options);
  assert_state(db, "fresh");
  add_shelf(db, "attic");
  assert_state(db, "current");
  stele_close(db);
}

/* ---- Backup --------------------------------------------------------------------------------- */

/* The path in the reply of a backup of one store; lives until the next call. */
static const char *backup_of(stele_db *db, const char *args) {
  static char path[PATH_SIZE];
  const char *reply = must_call(db, "stele.backup", args);
  const char *at = strstr(reply, "\"path\":\"");
  assert_non_null(at);
  assert_int_equal(sscanf(at, "\"path\":\"%500[^\"]", path), 1);
  return path;
}

static void test_backup(void **state) {
  home *h = *state;
  char first[PATH_SIZE];
  mode_t mask = umask(022);
  stele_db *db = open_home(h);
  assert_reply(db, "stele.backup", NULL, "[]"); /* nothing there yet, and nothing made */
  assert_int_equal(access(h->path, F_OK), -1);
  add_shelf(db, "attic");
  snprintf(first, sizeof first, "%s", backup_of(db, NULL));
  umask(mask);
  assert_mode(path_in(h->path, "backups"), 0700);
  assert_mode(first, 0600);
  add_shelf(db, "cellar");
  const char *second = backup_of(db, "{\"store\":\"sample\"}"); /* perhaps in the same second */
  assert_string_not_equal(first, second);
  assert_sql(first, "SELECT group_concat(name) FROM shelves", "attic");
  assert_sql(second, "SELECT group_concat(name) FROM shelves", "attic,cellar");
  assert_sql(second, "PRAGMA integrity_check", "ok");
  assert_sql(second, "PRAGMA user_version", "3");
  stele_close(db);
}

static void test_backup_elsewhere(void **state) {
  home *h = *state;
  char args[PATH_SIZE], expected[PATH_SIZE];
  stele_db *db = open_home(h);
  add_shelf(db, "attic");
  snprintf(args, sizeof args, "{\"to\":\"%.300s/copies\",\"store\":\"sample\"}", h->directory);
  snprintf(expected, sizeof expected, "%.300s/copies/sample-", h->directory);
  assert_memory_equal(backup_of(db, args), expected, strlen(expected));
  must_fail(db, "stele.backup", "{\"to\":\"/dev/null/x\"}", STELE_IO);
  must_fail(db, "stele.backup", "{\"store\":\"smaple\"}", STELE_NOTFOUND);
  assert_string_equal(stele_error(db)->field, "store");
  stele_close(db);
}

static void test_backup_from_memory(void **state) {
  home *h = *state;
  char args[PATH_SIZE];
  stele_options options = {.size = sizeof options, .home = ":memory:"};
  stele_db *db = must_open(&options);
  add_shelf(db, "attic");
  must_fail(db, "stele.backup", NULL, STELE_INVALID); /* where to? */
  snprintf(args, sizeof args, "{\"to\":\"%.300s\"}", h->directory);
  assert_sql(backup_of(db, args), "SELECT group_concat(name) FROM shelves", "attic");
  stele_close(db);
}

static void test_backup_inside_a_transaction(void **state) {
  home *h = *state;
  stele_db *db = open_home(h);
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  add_shelf(db, "attic");
  must_fail(db, "stele.backup", NULL, STELE_MISUSE);
  assert_int_equal(stele_commit(db), STELE_OK);
  const char *path = backup_of(db, NULL);
  assert_int_equal(count_files(path_in(h->path, "backups")), 2); /* it, and what is known of it */
  assert_sql(path, "SELECT group_concat(name) FROM shelves", "attic");
  stele_close(db);
}

typedef struct interference {
  stele_db *other;
  int calls;
  int stop_at; /* this call; 0: never */
} interference;

/* Somebody else writes between the steps of a backup. */
static int interfere(void *user, const char *what, int64_t done, int64_t total) {
  interference *i = user;
  char name[20];
  (void)what, (void)done, (void)total;
  snprintf(name, sizeof name, "late %d", ++i->calls);
  if (i->other && i->calls <= 3) add_shelf(i->other, name);
  return i->calls == i->stop_at;
}

static stele_db *open_large(const home *h, interference *i) {
  stele_options options = home_options(h);
  options.progress = interfere;
  options.user = i;
  stele_db *db = must_open(&options);
  must_call(db, "sample.get_shelves", NULL);
  sql_run(path_in(h->path, "sample.db"), "INSERT INTO history SELECT 1, hex(zeroblob(10000000))"); /* 5 steps */
  return db;
}

/* The copy is of the moment at which it began, and others need not wait for it. */
static void test_backup_beside_writers(void **state) {
  if (!has_log()) skip();
  home *h = *state;
  interference i = {open_home(h), 0, 0};
  stele_db *db = open_large(h, &i);
  add_shelf(db, "attic");
  assert_sql(backup_of(db, NULL), "SELECT group_concat(name) FROM shelves", "attic");
  assert_true(i.calls >= 4);
  assert_sql(path_in(h->path, "sample.db"), "SELECT group_concat(name) FROM shelves", "attic,late 1,late 2,late 3");
  stele_close(db);
  stele_close(i.other);
}

static void test_backup_stopped(void **state) {
  home *h = *state;
  interference i = {NULL, 0, 2};
  stele_db *db = open_large(h, &i);
  must_fail(db, "stele.backup", NULL, STELE_CANCELLED);
  assert_int_equal(count_files(path_in(h->path, "backups")), 0);
  add_shelf(db, "attic"); /* the handle goes on */
  i.stop_at = 0;
  assert_sql(backup_of(db, NULL), "SELECT group_concat(name) FROM shelves", "attic");
  stele_close(db);
}

/* Whatever takes long can be stopped at any moment: it says so, leaves nothing half done, and is done when it is asked again. */
static void test_stopped_at_any_moment(void **state) {
  static const char *const calls[][2] = {{"stele.backup", NULL},
                                         {"stele.list_backups", "{\"full\":true}"},
                                         {"stele.prune_backups", "{\"hourly\":0,\"daily\":0,\"weekly\":0}"},
                                         {"stele.check", "{\"stores\":[\"sample\"]}"},
                                         {"stele.salvage", "{\"store\":\"sample\"}"},
                                         {"stele.restore", "{\"replace\":true}"}};
  home *h = *state;
  interference i = {NULL, 0, 0};
  stele_db *db = open_large(h, &i);
  sql_run(path_in(h->path, "sample.db"), "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)"
                                         " INSERT INTO history SELECT i + 1, hex(zeroblob(50)) FROM n");
  for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
    stele_status status = STELE_CANCELLED;
    for (i.stop_at = 1; status == STELE_CANCELLED; i.stop_at += 1 + i.stop_at / 3) {
      char *reply = NULL;
      i.calls = 0;
      status = stele_call(db, calls[c][0], calls[c][1], &reply);
      stele_free(reply);
      assert_int_equal(access(path_in(h->path, "sample.db.restoring"), F_OK), -1);
      assert_int_equal(count_files(path_in(h->path, "backups")) % 2, 0);
    }
    if (status != STELE_OK) fail_msg("%s", stele_error(db)->message);
    assert_true(i.stop_at > 2); /* it was asked at least once */
  }
  stele_close(db);
  assert_sql(path_in(h->path, "sample.db"), "SELECT count(*) FROM history", "9001");
}

/* Neither a statement of the same handle nor another handle of the same process loses its store. */
static void test_restore_of_a_store_in_use(void **state) {
  static const char *const calls[][2] = {{"stele.restore", "{\"replace\":true}"}, {"stele.salvage", "{\"store\":\"sample\"}"}};
  home *h = *state;
  stele_db *db = open_home(h), *other = open_home(h);
  stele_stmt *stmt = NULL;
  add_shelf(db, "attic");
  add_shelf(db, "cellar");
  backup_of(db, NULL);
  assert_int_equal(stele_prepare(db, "sample.get_shelves", &stmt), STELE_OK);
  assert_int_equal(stele_step(stmt), STELE_ROW);
  must_fail(db, calls[0][0], calls[0][1], STELE_MISUSE);
  must_fail(db, calls[1][0], calls[1][1], STELE_MISUSE);
  stele_finalize(stmt);
  add_shelf(other, "shed");
  must_fail(db, calls[0][0], calls[0][1], STELE_BUSY);
  must_fail(db, calls[1][0], calls[1][1], STELE_BUSY);
  stele_close(other);
  must_call(db, calls[1][0], calls[1][1]);
  must_call(db, calls[0][0], calls[0][1]);
  assert_sql(path_in(h->path, "sample.db"), "SELECT group_concat(name) FROM shelves", "attic,cellar");
  stele_close(db);
}

static void test_backup_of_a_damaged_store(void **state) {
  home *h = *state;
  interference i = {NULL, 0, 0};
  stele_close(open_large(h, &i));
  const char *path = path_in(h->path, "sample.db");
  FILE *file = fopen(path, "r+");
  assert_non_null(file);
  fseek(file, 9000 * 1000, SEEK_SET);
  for (int n = 0; n < 5000; n++) fwrite("\x5A\x5A\x5A\x5A", 1, 4, file);
  fclose(file);
  stele_db *db = open_home(h);
  must_fail(db, "stele.backup", NULL, STELE_CORRUPT);
  assert_int_equal(count_files(path_in(h->path, "backups")), 0);
  stele_close(db);
}

/* ---- Schema --------------------------------------------------------------------------------- */

static void test_schema(void **state) {
  home *h = *state;
  stele_db *db = open_home(h);
  assert_reply(db, "stele.schema", NULL, "[]");
  assert_int_equal(access(h->path, F_OK), -1);
  must_call(db, "sample.get_shelves", NULL);
  const char *reply = must_call(db, "stele.schema", "{\"store\":\"sample\",\"table\":\"items\"}");
  assert_non_null(strstr(reply, "[{\"store\":\"sample\",\"version\":3,\"type\":\"table\",\"name\":\"items\",\"table\":\"items\","
                                "\"ddl\":\"CREATE TABLE items ("));
  assert_non_null(strstr(reply, "\"type\":\"index\",\"name\":\"idx_items_label\",\"table\":\"items\","));
  assert_null(strstr(reply, "\"name\":\"shelves\""));
  sql_run(path_in(h->path, "sample.db"), "CREATE INDEX mine ON shelves(room)");
  assert_non_null(strstr(must_call(db, "stele.schema", NULL), "\"name\":\"mine\"")); /* as it is, not as declared */
  must_fail(db, "stele.schema", "{\"table\":\"itmes\"}", STELE_NOTFOUND);
  assert_string_equal(stele_error(db)->field, "table");
  must_fail(db, "stele.schema", "{\"store\":\"smaple\"}", STELE_NOTFOUND);
  stele_close(db);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(test_status_creates_nothing),
      home_test(test_status_of_a_store_in_use),
      home_test(test_status_of_what_cannot_be_used),
      home_test(test_status_in_memory),
      home_test(test_backup),
      home_test(test_backup_elsewhere),
      home_test(test_backup_from_memory),
      home_test(test_backup_inside_a_transaction),
      home_test(test_backup_beside_writers),
      home_test(test_backup_stopped),
      home_test(test_stopped_at_any_moment),
      home_test(test_restore_of_a_store_in_use),
      home_test(test_backup_of_a_damaged_store),
      home_test(test_schema),
  };
  return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
