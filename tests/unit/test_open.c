/* test_open.c - opening a home, what it makes on disk, errors and remarks, a damaged file. */
#include <fcntl.h>

#include "unit/shelves.h"

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

/* And of embedding; a model that is not there is told where it is needed. */
static void test_embedding(void **state) {
  home *h = *state;
  stele_embedding embedding = {.size = sizeof embedding, .model = "/nowhere/a.model", .key = "hunter2"};
  stele_options options = home_options(h);
  stele_db *db = NULL;
  options.embedding = &embedding;
  options.size = offsetof(stele_options, embedding);
  assert_int_equal(stele_open(&options, &db), STELE_OK);
  assert_int_equal(stele_call(db, "stele.embed_texts", "{\"texts\":[\"x\"]}", NULL), STELE_UNSUPPORTED);
  assert_non_null(strstr(stele_error(db)->message, "no embedding model is configured"));
  stele_close(db);
  options.size = sizeof options;
  assert_int_equal(stele_open(&options, &db), STELE_OK);
  assert_int_equal(stele_call(db, "stele.embed_texts", "{\"texts\":[\"x\"]}", NULL), STELE_UNSUPPORTED);
  assert_non_null(strstr(stele_error(db)->message, "/nowhere/a.model: No such file or directory"));
  stele_close(db);
  embedding.size--;
  assert_bad(&options, "stele_embedding.size");
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
      home_test(test_embedding),
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
      home_test(test_a_damaged_file),
  };
  return cmocka_run_group_tests_name("open", tests, NULL, NULL);
}
