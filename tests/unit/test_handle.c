/* test_handle.c - opening a home, what it makes on disk, transactions, streams, threads, fork. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include "unit/inside.h"

#define CROWD 8

/* ---- What the tests share ------------------------------------------------------------------- */

static void add_shelf(stele_db *db, const char *name) {
  char args[100];
  snprintf(args, sizeof args, "{\"name\":\"%s\"}", name);
  must_call(db, "sample.add_shelf", args);
}

/* The names of all shelves, as this handle sees them. */
static const char *shelves(stele_db *db) {
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

/* ---- Opening -------------------------------------------------------------------------------- */

static void test_in_memory(void **state) {
  home *h = *state;
  stele_options options = {.size = sizeof options, .home = ":memory:"};
  stele_db *db = must_open(&options), *other = must_open(&options);
  add_shelf(db, "attic");
  assert_string_equal(shelves(db), "attic");
  assert_string_equal(shelves(other), "");
  must_call(db, "telemetry.create_session", NULL);
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  add_shelf(db, "cellar");
  assert_int_equal(stele_rollback(db), STELE_OK);
  assert_string_equal(shelves(db), "attic");
  stele_close(other);
  stele_close(db);
  assert_int_equal(access(":memory:", F_OK), -1);
  assert_int_equal(access(path_in(h->directory, ":memory:"), F_OK), -1);
}

static void test_one_store_in_memory(void **state) {
  home *h = *state;
  stele_place place = {.store = "sample", .location = ":memory:"};
  stele_options options = home_options(h);
  options.places = &place;
  options.nplaces = 1;
  stele_db *db = must_open(&options);
  add_shelf(db, "attic");
  must_call(db, "telemetry.create_session", NULL);
  stele_close(db);
  assert_int_equal(access(path_in(h->path, "sample.db"), F_OK), -1);
  assert_int_equal(access(path_in(h->path, "telemetry.db"), F_OK), 0);
}

static void test_what_is_made(void **state) {
  home *h = *state;
  char deep[PATH_SIZE];
  snprintf(deep, sizeof deep, "%.400s/a/b", h->path);
  stele_options options = {.size = sizeof options, .home = deep};
  mode_t mask = umask(022);
  stele_db *db = must_open(&options);
  assert_int_equal(access(h->path, F_OK), -1); /* nothing yet */
  add_shelf(db, "attic");
  umask(mask);
  assert_mode(h->path, 0700);
  assert_mode(path_in(h->path, "a"), 0700);
  assert_mode(deep, 0700);
  assert_mode(path_in(deep, "sample.db"), 0600);
  if (has_log()) assert_mode(path_in(deep, "sample.db-wal"), 0600);
  if (has_log()) assert_mode(path_in(deep, "sample.db-shm"), 0600);
  assert_mode(path_in(deep, "sample.lock"), 0600);
  assert_int_equal(access(path_in(deep, "telemetry.db"), F_OK), -1); /* not asked for */
  stele_close(db);
  assert_sql(path_in(deep, "sample.db"), "SELECT group_concat(name) FROM shelves", "attic");
}

/* stele_open() refuses, and the handle says why. */
static void assert_bad(const stele_options *options, const char *why) {
  stele_db *db = NULL;
  assert_int_equal(stele_open(options, &db), STELE_INVALID);
  assert_non_null(db);
  assert_int_equal(stele_error(db)->status, STELE_INVALID);
  if (!strstr(stele_error(db)->message, why)) fail_msg("%s", stele_error(db)->message);
  stele_close(db);
}

/* A program that was built before there was redaction tells a smaller size; what is behind it is not looked at. */
static void test_older_options(void **state) {
  home *h = *state;
  stele_options options = home_options(h);
  stele_db *db = NULL;
  char *reply = NULL;
  options.redaction = "no rules";
  options.size = offsetof(stele_options, redaction);
  assert_int_equal(stele_open(&options, &db), STELE_OK);
  assert_int_equal(stele_call(db, "stele.redact", "{\"text\":\"x\"}", &reply), STELE_OK);
  stele_free(reply);
  stele_close(db);
  options.size = sizeof options;
  assert_int_equal(stele_open(&options, &db), STELE_OK);
  assert_int_equal(stele_call(db, "stele.redact", "{\"text\":\"x\"}", NULL), STELE_INVALID);
  assert_non_null(strstr(stele_error(db)->message, "redaction rules, line 1"));
  stele_close(db);
}

/* The same of the vault's keys; what is wrong with them is told where they are needed. */
static void test_vault_keys(void **state) {
  home *h = *state;
  stele_options options = home_options(h);
  stele_db *db = NULL;
  options.vault_keys = "hunter2";
  options.size = offsetof(stele_options, vault_keys);
  assert_int_equal(stele_open(&options, &db), STELE_OK);
  assert_int_equal(stele_call(db, "assistant.vault_rotate", NULL, NULL), STELE_DENIED);
  assert_non_null(strstr(stele_error(db)->message, "no vault key was given"));
  stele_close(db);
  options.size = sizeof options;
  assert_int_equal(stele_open(&options, &db), STELE_OK);
  assert_int_equal(stele_call(db, "assistant.vault_rotate", NULL, NULL), STELE_DENIED);
  assert_non_null(strstr(stele_error(db)->message, "vault key 1 is not a Fernet key"));
  assert_null(strstr(stele_error(db)->message, "hunter2"));
  stele_close(db);
}

static void test_bad_options(void **state) {
  home *h = *state;
  stele_options good = home_options(h), options = good;
  assert_bad(NULL, "options");
  options.size = 8;
  assert_bad(&options, "size");
  options = good;
  options.database = "mysql://somewhere";
  assert_bad(&options, "postgres://");
  options = good;
  options.home = "";
  assert_bad(&options, "home");
  options = good;
  options.home = ":memory:";
  options.flags = STELE_OPEN_QUEUE;
  assert_bad(&options, "queue");
  assert_int_equal(stele_open(&good, NULL), STELE_MISUSE);
}

static void test_bad_places(void **state) {
  stele_place place = {.store = "smaple", .location = "x.db"};
  stele_options options = home_options(*state);
  options.places = &place;
  options.nplaces = 1;
  assert_bad(&options, "smaple");
  place.store = NULL;
  assert_bad(&options, "no store");
  place = (stele_place){.store = "sample", .durability = "some"};
  assert_bad(&options, "durability");
}

static void test_no_home(void **state) {
  (void)state;
  stele_options options = {.size = sizeof options};
  stele_db *db = must_open(&options);
  must_fail(db, "sample.get_shelves", NULL, STELE_INVALID);
  must_call(db, "stele.version", NULL);
  stele_close(db);
}

static void test_home_that_cannot_be_made(void **state) {
  home *h = *state;
  stele_options options = home_options(h);
  fclose(fopen(h->path, "w")); /* a file is in the way */
  stele_db *db = must_open(&options);
  must_fail(db, "sample.get_shelves", NULL, STELE_IO);
  assert_string_equal(stele_error(db)->method, "sample.get_shelves");
  unlink(h->path);
  must_call(db, "sample.get_shelves", NULL); /* the handle is not spoilt by it */
  stele_close(db);
}

static void test_readonly(void **state) {
  home *h = *state;
  stele_options options = home_options(h);
  options.flags = STELE_OPEN_READONLY;
  stele_db *reader = must_open(&options);
  must_fail(reader, "sample.get_shelves", NULL, STELE_NOTFOUND);
  assert_int_equal(access(h->path, F_OK), -1); /* it creates nothing */
  stele_db *writer = open_home(h);
  add_shelf(writer, "attic");
  assert_string_equal(shelves(reader), "attic");
  must_fail(reader, "sample.add_shelf", "{\"name\":\"x\"}", STELE_READONLY);
  assert_int_equal(stele_begin(reader, "sample"), STELE_READONLY);
  assert_int_equal(stele_error(reader)->status, STELE_READONLY);
  add_shelf(writer, "cellar");
  assert_string_equal(shelves(reader), "attic cellar");
  stele_close(writer);
  stele_close(reader);
}

static void test_durability(void **state) {
  stele_place places[] = {{.store = "sample", .durability = "normal"}, {.store = "telemetry", .durability = "full"}};
  stele_options options = home_options(*state);
  bool found;
  for (int given = 0; given < 2; given++) {
    options.places = places;
    options.nplaces = given ? 2 : 0;
    stele_db *db = must_open(&options);
    must_call(db, "sample.get_shelves", NULL);
    must_call(db, "telemetry.get_session_list", NULL);
    for (int store = 0; store < 2; store++) {
      sqlite3_stmt *stmt = NULL;
      sqlite3_prepare_v2(connection(db, store ? "telemetry" : "sample")->db, "PRAGMA synchronous", -1, &stmt, NULL);
      assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
      found = sqlite3_column_int(stmt, 0) == 2;
      sqlite3_finalize(stmt);
      assert_int_equal(found, given == store); /* by default sample is full, telemetry normal */
    }
    stele_close(db);
  }
}

/* ---- Errors and remarks --------------------------------------------------------------------- */

static void test_error(void **state) {
  stele_db *db = open_home(*state);
  assert_int_equal(stele_error(db)->status, STELE_OK);
  must_fail(db, "sample.put_item", "{\"shelf_id\":1}", STELE_INVALID);
  assert_string_equal(stele_error(db)->method, "sample.put_item");
  assert_string_equal(stele_error(db)->field, "label");
  assert_string_equal(stele_error(db)->message, "sample.put_item needs label");
  assert_string_equal(stele_error(db)->hint, "");
  must_fail(db, "sample.put_item", "{\"shelf_id\":1,\"lable\":\"x\"}", STELE_INVALID);
  assert_string_equal(stele_error(db)->field, "lable");
  assert_string_equal(stele_error(db)->hint, "did you mean label?");
  must_fail(db, "sample.put_itme", NULL, STELE_NOTFOUND);
  assert_string_equal(stele_error(db)->method, "sample.put_itme");
  assert_string_equal(stele_error(db)->hint, "did you mean sample.put_item?");
  must_fail(db, "sample.count_items", NULL, STELE_NOTFOUND); /* private */
  must_fail(db, NULL, NULL, STELE_NOTFOUND);
  must_fail(db, "sample.get_shelves", "{", STELE_INVALID);
  must_fail(db, "sample.get_shelves", "[]", STELE_INVALID);
  must_call(db, "sample.get_shelves", "");
  assert_int_equal(stele_error(db)->status, STELE_OK);
  assert_string_equal(stele_error(db)->method, "");
  assert_string_equal(stele_error(db)->message, "");
  stele_close(db);
}

static void test_without_a_handle(void **state) {
  (void)state;
  stele_stmt *stmt = NULL;
  char *reply = NULL;
  assert_int_equal(stele_call(NULL, "stele.version", NULL, &reply), STELE_MISUSE);
  assert_null(reply);
  assert_int_equal(stele_prepare(NULL, "stele.version", &stmt), STELE_MISUSE);
  assert_int_equal(stele_begin(NULL, "sample"), STELE_MISUSE);
  assert_int_equal(stele_commit(NULL), STELE_MISUSE);
  assert_int_equal(stele_rollback(NULL), STELE_MISUSE);
  assert_int_equal(stele_step(NULL), STELE_MISUSE);
  assert_int_equal(stele_bind_int(NULL, "x", 1), STELE_MISUSE);
  assert_int_equal(stele_error(NULL)->status, STELE_NOMEM);
  assert_string_equal(stele_notes(NULL), "");
  stele_reset(NULL);
  stele_finalize(NULL);
  stele_close(NULL);
  stele_free(NULL);
}

static void test_status_names(void **state) {
  (void)state;
  assert_string_equal(stele_status_name(STELE_OK), "OK");
  assert_string_equal(stele_status_name(STELE_BUSY), "BUSY");
  assert_string_equal(stele_status_name(STELE_INTERNAL), "INTERNAL");
  assert_string_equal(stele_status_name((stele_status)99), "UNKNOWN");
}

static void test_notes(void **state) {
  stele_db *db = open_home(*state);
  assert_reply(db, "sample.describe", "{\"query\":\"a OR\"}", "{\"query\":\"a OR\",\"count\":0}");
  assert_string_equal(stele_notes(db), "a OR was taken literally\neverything was counted");
  assert_reply(db, "sample.describe", "{\"query\":\"a\",\"remark\":false}", "{\"query\":\"a\",\"count\":0}");
  assert_string_equal(stele_notes(db), "");
  stele_stmt *stmt = NULL;
  assert_int_equal(stele_prepare(db, "sample.describe", &stmt), STELE_OK);
  assert_int_equal(stele_bind_text(stmt, "query", "b", 1), STELE_OK);
  assert_int_equal(stele_step(stmt), STELE_ROW);
  assert_int_equal(stele_step(stmt), STELE_DONE);
  stele_finalize(stmt);
  assert_string_equal(stele_notes(db), "b was taken literally\neverything was counted"); /* to the end of the call */
  stele_close(db);
}

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

static stele_stmt *prepared(stele_db *db, const char *method) {
  stele_stmt *stmt = NULL;
  if (stele_prepare(db, method, &stmt) != STELE_OK) fail_msg("%s", stele_error(db)->message);
  return stmt;
}

static void fill(stele_db *db, int count) {
  char args[100];
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  for (int i = 1; i <= count; i++) {
    snprintf(args, sizeof args, "shelf %03d", i);
    add_shelf(db, args);
  }
  assert_int_equal(stele_commit(db), STELE_OK);
}

/* The next row must be this shelf. */
static void assert_next(stele_stmt *stmt, int number) {
  char name[20];
  snprintf(name, sizeof name, "shelf %03d", number);
  assert_int_equal(stele_step(stmt), STELE_ROW);
  assert_int_equal(stele_column_int(stmt, 0), number);
  assert_string_equal(stele_column_text(stmt, 1), name);
}

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

/* ---- Waiting -------------------------------------------------------------------------------- */

typedef struct holder {
  const char *path;
  int told[2], wanted[2]; /* pipes: it holds the lock; it may let go */
} holder;

/* Another program, which knows nothing of turns, writes to the file. */
static int hold_sqlite_lock(void *argument) {
  holder *h = argument;
  close(h->wanted[1]); /* so that it ends with its parent */
  sqlite3 *db = NULL;
  char byte;
  if (sqlite3_open(h->path, &db) != SQLITE_OK) return 1;
  sqlite3_busy_timeout(db, 20000);
  if (sqlite3_exec(db, "BEGIN IMMEDIATE; INSERT INTO shelves (name) VALUES ('theirs')", NULL, NULL, NULL)) return 2;
  if (write(h->told[1], "x", 1) != 1 || read(h->wanted[0], &byte, 1) != 1) return 3;
  if (sqlite3_exec(db, "COMMIT", NULL, NULL, NULL)) return 4;
  return sqlite3_close(db);
}

static pid_t start_holder(holder *h, child_function *function) {
  char byte;
  assert_int_equal(pipe(h->told), 0);
  assert_int_equal(pipe(h->wanted), 0);
  pid_t child = start_child(function, h);
  assert_int_equal(read(h->told[0], &byte, 1), 1);
  return child;
}

static void stop_holder(holder *h, pid_t child) {
  assert_int_equal(write(h->wanted[1], "x", 1), 1);
  assert_int_equal(wait_child(child), 0);
  for (int i = 0; i < 2; i++) close(h->told[i]), close(h->wanted[i]);
}

static void test_busy_while_another_program_writes(void **state) {
  home *h = *state;
  holder other = {.path = path_in(h->path, "sample.db")};
  stele_options options = home_options(h);
  options.wait_ms = 100;
  stele_db *db = must_open(&options);
  add_shelf(db, "attic");
  pid_t child = start_holder(&other, hold_sqlite_lock);
  for (int i = 0; i < 2; i++) must_fail(db, "sample.add_shelf", "{\"name\":\"cellar\"}", STELE_BUSY);
  assert_int_equal(stele_begin(db, "sample"), STELE_BUSY);
  assert_string_equal(shelves(db), "attic"); /* readers do not wait */
  stop_holder(&other, child);
  add_shelf(db, "cellar");
  assert_string_equal(shelves(db), "attic theirs cellar");
  stele_close(db);
}

/* Another handle of this home has a transaction open, so has the turn. */
static int hold_turn(void *argument) {
  holder *h = argument;
  close(h->wanted[1]); /* so that it ends with its parent */
  stele_place place = {.store = "sample", .location = h->path};
  stele_options options = {.size = sizeof options, .places = &place, .nplaces = 1};
  stele_db *db = NULL;
  char byte;
  if (stele_open(&options, &db) != STELE_OK || stele_begin(db, "sample") != STELE_OK) return 1;
  if (stele_call(db, "sample.add_shelf", "{\"name\":\"theirs\"}", NULL) != STELE_OK) return 2;
  if (write(h->told[1], "x", 1) != 1 || read(h->wanted[0], &byte, 1) != 1) return 3;
  if (stele_commit(db) != STELE_OK) return 4;
  stele_close(db);
  return 0;
}

static void test_busy_while_another_handle_writes(void **state) {
  home *h = *state;
  holder other = {.path = path_in(h->path, "sample.db")};
  stele_options options = home_options(h);
  options.wait_ms = 100;
  stele_db *db = must_open(&options);
  add_shelf(db, "attic");
  pid_t child = start_holder(&other, hold_turn);
  for (int i = 0; i < 2; i++) must_fail(db, "sample.add_shelf", "{\"name\":\"cellar\"}", STELE_BUSY);
  assert_non_null(strstr(stele_error(db)->message, "100 ms"));
  assert_true(connection(db, "sample")->base.counts.waits >= 2);
  must_call(db, "telemetry.create_session", NULL); /* other stores have turns of their own */
  stop_holder(&other, child);
  add_shelf(db, "cellar");
  assert_string_equal(shelves(db), "attic theirs cellar");
  stele_close(db);
}

/* Opening for the first time, to read or to write, needs no turn. */
static void test_opening_while_another_handle_writes(void **state) {
  stele_options options = home_options(*state);
  options.wait_ms = 100;
  stele_db *db = open_home(*state);
  static const char *const stores[] = {"sample", "telemetry"};
  static const char *const readers[] = {"sample.get_shelves", "telemetry.get_session_list"};
  for (int i = 0; i < 2; i++) {
    must_call(db, readers[i], NULL);
    assert_int_equal(stele_begin(db, stores[i]), STELE_OK);
    stele_db *other = must_open(&options);
    assert_reply(other, readers[i], NULL, "[]");
    stele_close(other);
    assert_int_equal(stele_rollback(db), STELE_OK);
  }
  stele_close(db);
}

static void test_waiting_ends_with_a_killed_writer(void **state) {
  home *h = *state;
  holder other = {.path = path_in(h->path, "sample.db")};
  stele_db *db = open_home(h);
  add_shelf(db, "attic");
  pid_t child = start_holder(&other, hold_turn);
  kill(child, SIGKILL);
  assert_int_equal(wait_child(child), -SIGKILL);
  add_shelf(db, "cellar");
  assert_string_equal(shelves(db), "attic cellar");
  stele_close(db);
  for (int i = 0; i < 2; i++) close(other.told[i]), close(other.wanted[i]);
}

/* ---- Threads -------------------------------------------------------------------------------- */

typedef struct writer {
  pthread_t thread;
  const home *home;
  int number;
  int failures;
} writer;

static void *write_rows(void *argument) {
  writer *w = argument;
  stele_options options = home_options(w->home);
  stele_db *db = NULL;
  char args[100];
  w->failures += stele_open(&options, &db) != STELE_OK;
  for (int i = 0; i < 40; i++) {
    snprintf(args, sizeof args, "{\"name\":\"%d of %d\"}", i, w->number);
    w->failures += stele_call(db, "sample.add_shelf", args, NULL) != STELE_OK;
    if (i % 10 == 0) w->failures += stele_call(db, "sample.get_report", NULL, NULL) != STELE_OK;
  }
  stele_close(db);
  return NULL;
}

static void test_threads(void **state) {
  home *h = *state;
  writer writers[CROWD];
  for (int i = 0; i < CROWD; i++) {
    writers[i] = (writer){.home = h, .number = i};
    assert_int_equal(pthread_create(&writers[i].thread, NULL, write_rows, &writers[i]), 0);
  }
  for (int i = 0; i < CROWD; i++) {
    pthread_join(writers[i].thread, NULL);
    assert_int_equal(writers[i].failures, 0);
  }
  assert_sql(path_in(h->path, "sample.db"), "SELECT count(DISTINCT name) FROM shelves", "320");
}

/* ---- Fork ----------------------------------------------------------------------------------- */

typedef struct inherited {
  const home *home;
  stele_db *db;
  stele_stmt *fresh, *streaming;
} inherited;

/* Every function of a handle that was opened before fork() refuses. */
static int use_inherited(void *argument) {
  inherited *i = argument;
  stele_stmt *stmt = NULL;
  int wrong = 0;
  wrong += differs(i->db, stele_call(i->db, "sample.add_shelf", "{\"name\":\"child\"}", NULL), STELE_MISUSE, "call");
  wrong += differs(i->db, stele_prepare(i->db, "sample.get_shelves", &stmt), STELE_MISUSE, "prepare");
  wrong += differs(i->db, stele_bind_text(i->fresh, "name", "child", 5), STELE_MISUSE, "bind");
  wrong += differs(i->db, stele_step(i->fresh), STELE_MISUSE, "step");
  wrong += differs(i->db, stele_step(i->streaming), STELE_MISUSE, "step of a stream");
  wrong += differs(i->db, stele_begin(i->db, "telemetry"), STELE_MISUSE, "begin");
  wrong += differs(i->db, stele_commit(i->db), STELE_MISUSE, "commit");
  wrong += differs(i->db, stele_rollback(i->db), STELE_MISUSE, "rollback");
  wrong += strstr(stele_error(i->db)->message, "fork") == NULL;
  stele_reset(i->streaming);
  stele_finalize(i->streaming);
  stele_finalize(i->fresh);
  stele_close(i->db);
  return wrong;
}

static void test_a_handle_after_fork(void **state) {
  home *h = *state;
  stele_db *db = open_home(h);
  fill(db, 5);
  inherited i = {h, db, prepared(db, "sample.add_shelf"), prepared(db, "sample.get_shelves")};
  assert_next(i.streaming, 1);
  assert_int_equal(stele_begin(db, "sample"), STELE_OK);
  add_shelf(db, "inside");
  assert_int_equal(in_child(use_inherited, &i), 0);
  add_shelf(db, "after"); /* nothing has happened to the transaction, the lock or the stream */
  stele_options options = home_options(h);
  options.wait_ms = 100;
  stele_db *other = must_open(&options);
  must_fail(other, "sample.add_shelf", "{\"name\":\"other\"}", STELE_BUSY);
  assert_int_equal(stele_commit(db), STELE_OK);
  for (int n = 2; n <= 5; n++) assert_next(i.streaming, n);
  assert_int_equal(stele_step(i.streaming), STELE_DONE);
  add_shelf(other, "other");
  assert_non_null(strstr(shelves(db), "shelf 005 inside after other"));
  stele_close(other);
  stele_close(db);
  assert_sql(path_in(h->path, "sample.db"), "PRAGMA integrity_check", "ok");
}

/* A child opens a handle of its own, beside the one it must not use. */
static int open_own(void *argument) {
  inherited *i = argument;
  stele_options options = home_options(i->home);
  stele_db *db = NULL;
  int wrong = differs(db, stele_open(&options, &db), STELE_OK, "open");
  wrong += differs(db, stele_call(db, "sample.add_shelf", "{\"name\":\"child\"}", NULL), STELE_OK, "call");
  stele_close(db);
  return wrong;
}

static void test_a_new_handle_after_fork(void **state) {
  stele_db *db = open_home(*state);
  add_shelf(db, "parent");
  inherited i = {.home = *state, .db = db};
  assert_int_equal(in_child(open_own, &i), 0);
  add_shelf(db, "parent again");
  assert_string_equal(shelves(db), "parent child parent again");
  stele_close(db);
}

/* ---- Damage --------------------------------------------------------------------------------- */

static void damage(const char *path) {
  struct stat found;
  char junk[4096];
  memset(junk, 0x5A, sizeof junk);
  int fd = open(path, O_WRONLY);
  assert_true(fd >= 0);
  assert_int_equal(fstat(fd, &found), 0);
  for (off_t at = found.st_size / 2 / 4096 * 4096; at < found.st_size; at += 4096)
    assert_int_equal(pwrite(fd, junk, sizeof junk, at), sizeof junk);
  close(fd);
}

/* Nothing more is written to a file that was found damaged. */
static void test_a_damaged_file(void **state) {
  home *h = *state;
  stele_db *db = open_home(h);
  char args[2000];
  for (int i = 0; i < 200; i++) {
    snprintf(args, sizeof args, "{\"name\":\"%d%01000d\"}", i, 0);
    must_call(db, "sample.add_shelf", args);
  }
  stele_close(db);
  damage(path_in(h->path, "sample.db"));
  db = open_home(h);
  must_fail(db, "sample.get_shelves", NULL, STELE_CORRUPT);
  must_fail(db, "sample.add_shelf", "{\"name\":\"x\"}", STELE_CORRUPT);
  assert_non_null(strstr(stele_error(db)->message, "stopped"));
  assert_int_equal(stele_begin(db, "sample"), STELE_CORRUPT);
  must_call(db, "telemetry.create_session", NULL); /* the other stores are well */
  stele_close(db);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(test_in_memory),
      home_test(test_one_store_in_memory),
      home_test(test_what_is_made),
      home_test(test_older_options),
      home_test(test_vault_keys),
      home_test(test_bad_options),
      home_test(test_bad_places),
      home_test(test_no_home),
      home_test(test_home_that_cannot_be_made),
      home_test(test_readonly),
      home_test(test_durability),
      home_test(test_error),
      home_test(test_without_a_handle),
      home_test(test_status_names),
      home_test(test_notes),
      home_test(test_commit),
      home_test(test_rollback),
      home_test(test_failure_inside),
      home_test(test_failure_outside),
      home_test(test_transactions_of_a_method),
      home_test(test_misused_transactions),
      home_test(test_other_stores_are_not_part),
      home_test(test_transaction_lost_on_the_way),
      home_test(test_writing_while_reading),
      home_test(test_writing_while_reading_and_others_write),
      home_test(test_two_statements_of_one_method),
      home_test(test_reading_inside_a_transaction),
      home_test(test_busy_while_another_program_writes),
      home_test(test_busy_while_another_handle_writes),
      home_test(test_opening_while_another_handle_writes),
      home_test(test_waiting_ends_with_a_killed_writer),
      home_test(test_threads),
      home_test(test_a_handle_after_fork),
      home_test(test_a_new_handle_after_fork),
      home_test(test_a_damaged_file),
  };
  return cmocka_run_group_tests_name("handle", tests, NULL, NULL);
}
