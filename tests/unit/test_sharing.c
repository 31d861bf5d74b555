/* test_sharing.c - several programs, handles and threads on one store: waiting, fork. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/time.h"
#include "unit/shelves.h"

#define CROWD 8

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

/* What nobody holds any more is had soon, on a busy machine at a later try. */
static void add_shelf_soon(stele_db *db, const char *name) {
  char args[100];
  stele_status status = STELE_BUSY;
  snprintf(args, sizeof args, "{\"name\":\"%s\"}", name);
  for (int tries = 0; tries < 200 && status == STELE_BUSY; tries++) status = stele_call(db, "sample.add_shelf", args, NULL);
  if (status != STELE_OK) fail_msg("%s: %s", name, stele_error(db)->message);
}

static void test_busy_while_another_program_writes(void **state) {
  home *h = *state;
  holder other = {.path = path_in(h->path, "sample.db")};
  stele_options options = home_options(h);
  options.wait_ms = 100;
  stele_db *db = must_open(&options), *second = must_open(&options);
  add_shelf(db, "attic");
  pid_t child = start_holder(&other, hold_sqlite_lock);
  for (int i = 0; i < 2; i++) {
    int64_t began = st_monotonic_ms();
    must_fail(db, "sample.add_shelf", "{\"name\":\"cellar\"}", STELE_BUSY);
    assert_true(st_monotonic_ms() - began >= 100); /* it was worth waiting for */
  }
  assert_int_equal(stele_begin(db, "sample"), STELE_BUSY);
  assert_string_equal(shelves(db), "attic"); /* readers do not wait */
  stop_holder(&other, child);
  add_shelf_soon(second, "garage"); /* who could not begin has left the turn to others */
  add_shelf_soon(db, "cellar");
  assert_string_equal(shelves(db), "attic theirs garage cellar");
  stele_close(second);
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
  if (stele_call(db, "sample.add_shelf", "{\"name\":\"next door\"}", NULL) != STELE_OK) return 2;
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
  add_shelf_soon(db, "cellar");
  assert_string_equal(shelves(db), "attic next door cellar");
  stele_close(db);
}

typedef struct waiter {
  stele_db *db;
  stele_status status;
  atomic_bool ended;
} waiter;

static void *wait_to_write(void *argument) {
  waiter *w = argument;
  w->status = stele_call(w->db, "sample.add_shelf", "{\"name\":\"cellar\"}", NULL);
  atomic_store(&w->ended, true);
  return NULL;
}

/* Whatever a write waits for, it ends when it is interrupted, and says so. */
static void test_interrupted_waits(void **state) {
  home *h = *state;
  child_function *const holds[] = {hold_turn, hold_sqlite_lock};
  stele_options options = home_options(h);
  options.wait_ms = 3600000; /* nobody waits that long */
  stele_db *db = must_open(&options);
  add_shelf(db, "attic");
  for (int i = 0; i < 2; i++) {
    holder other = {.path = path_in(h->path, "sample.db")};
    waiter w = {.db = db};
    pthread_t thread;
    pid_t child = start_holder(&other, holds[i]);
    assert_int_equal(pthread_create(&thread, NULL, wait_to_write, &w), 0);
    while (!atomic_load(&w.ended)) { /* an interruption before the call began is none */
      stele_interrupt(db);
      usleep(1000);
    }
    pthread_join(thread, NULL);
    assert_int_equal(w.status, STELE_CANCELLED);
    assert_string_equal(stele_error(db)->message, "sample.add_shelf: interrupted");
    stop_holder(&other, child);
  }
  add_shelf(db, "cellar");
  assert_string_equal(shelves(db), "attic next door theirs cellar");
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
  add_shelf_soon(other, "other");
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

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(test_busy_while_another_program_writes),
      home_test(test_busy_while_another_handle_writes),
      home_test(test_interrupted_waits),
      home_test(test_opening_while_another_handle_writes),
      home_test(test_waiting_ends_with_a_killed_writer),
      home_test(test_threads),
      home_test(test_a_handle_after_fork),
      home_test(test_a_new_handle_after_fork),
  };
  return cmocka_run_group_tests_name("sharing", tests, NULL, NULL);
}
