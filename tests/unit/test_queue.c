/* test_queue.c - records that wait in a queue: written in batches, dropped and counted by cause. */
#include <ctype.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "unit/fail_alloc.h"
#include "unit/home.h"

#define NEVER_MS 3600000 /* a flush interval that does not come */

/* ---- What the tests share ------------------------------------------------------------------- */

typedef struct fixture {
  home *home;
  stele_db *plain; /* without a queue */
  stele_db *db;    /* with one */
  int logged;      /* records that the log says were dropped */
} fixture;

static const char NOTHING[] =
    "{\"written\":0,\"dropped\":0,\"dropped_overflow\":0,\"dropped_unknown\":0,\"dropped_failed\":0}";
static const char RECORD[] = "{\"listener_id\":1,\"session_id\":1,\"duration_ms\":1,\"status\":\"success\"}";
static const char RUN[] = "{\"job_id\":1,\"session_id\":1,\"duration_ms\":1,\"status\":\"success\"}";

static void count_dropped(void *user, stele_log_level level, const char *message) {
  fixture *f = user;
  if (level == STELE_LOG_ERROR && isdigit((unsigned char)message[0])) f->logged += atoi(message);
}

static stele_options queue_options(fixture *f) {
  stele_options options = home_options(f->home);
  options.flags = STELE_OPEN_QUEUE;
  options.queue_capacity = 10;
  options.queue_flush_ms = NEVER_MS;
  options.log = count_dropped;
  options.user = f;
  return options;
}

/* A home with a session, a listener and a job, each of number 1. */
static int set_up(void **state) {
  static const char listener[] =
      "{\"app_key\":\"a\",\"instance_index\":0,\"handler_method\":\"h\",\"topic\":\"t\",\"source_location\":\"x:1\"}";
  static const char job[] =
      "{\"app_key\":\"a\",\"instance_index\":0,\"handler_method\":\"h\",\"job_name\":\"j\",\"source_location\":\"x:1\"}";
  fixture *f = calloc(1, sizeof *f);
  if (home_set_up((void **)&f->home) != 0) return -1;
  stele_options options = home_options(f->home);
  if (stele_open(&options, &f->plain) != STELE_OK) return -1;
  if (stele_call(f->plain, "telemetry.create_session", NULL, NULL) != STELE_OK) return -1;
  if (stele_call(f->plain, "telemetry.register_listener", listener, NULL) != STELE_OK) return -1;
  if (stele_call(f->plain, "telemetry.register_job", job, NULL) != STELE_OK) return -1;
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  stele_close(f->db);
  stele_close(f->plain);
  int rc = home_tear_down((void **)&f->home);
  free(f);
  return rc;
}

#define queue_test(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static void open_queue(fixture *f) {
  stele_options options = queue_options(f);
  f->db = must_open(&options);
}

static void close_queue(fixture *f) {
  stele_close(f->db);
  f->db = NULL;
}

/* Record so many calls; so many of them must be queued, the others dropped. */
static void record(fixture *f, int count, int queued) {
  for (int i = 0; i < count; i++)
    assert_reply(f->db, "telemetry.record_invocation", RECORD,
                 i < queued ? "{\"id\":null,\"outcome\":\"queued\"}" : "{\"id\":null,\"outcome\":\"dropped\"}");
}

/* The number of calls and runs in the store. */
static int stored(fixture *f) {
  const char *path = path_in(f->home->path, "telemetry.db");
  return atoi(sql_text(path, "SELECT (SELECT count(*) FROM handler_invocations) + (SELECT count(*) FROM job_executions)"));
}

static void await_stored(fixture *f, int count) {
  for (int tries = 0; stored(f) != count; tries++) {
    if (tries == 2000) fail_msg("%d records came, not %d", stored(f), count);
    usleep(10000);
  }
}

/* ---- Written -------------------------------------------------------------------------------- */

static void test_flush(void **state) {
  fixture *f = *state;
  open_queue(f);
  assert_reply(f->db, "telemetry.flush_all", NULL, NOTHING);
  record(f, 3, 3);
  assert_reply(f->db, "telemetry.record_execution", RUN, "{\"id\":null,\"outcome\":\"queued\"}");
  assert_int_equal(stored(f), 0);
  assert_reply(f->db, "telemetry.flush_all", NULL,
               "{\"written\":4,\"dropped\":0,\"dropped_overflow\":0,\"dropped_unknown\":0,\"dropped_failed\":0}");
  assert_int_equal(stored(f), 4);
  assert_sql(path_in(f->home->path, "telemetry.db"), "SELECT count(*) FROM job_executions", "1");
  assert_reply(f->db, "telemetry.flush_all", NULL, NOTHING);
  record(f, 1, 1); /* it goes on after a flush */
  must_call(f->db, "telemetry.flush_all", NULL);
  assert_int_equal(stored(f), 5);
}

static void test_values_are_kept(void **state) {
  fixture *f = *state;
  open_queue(f);
  must_call(f->db, "telemetry.record_invocation",
            "{\"listener_id\":1,\"session_id\":1,\"duration_ms\":0.1,\"status\":\"error\","
            "\"execution_start_dtme\":1763200000.123456,\"error_type\":\"A\\\"B\",\"error_message\":\"caf\xC3\xA9\\n\"}");
  must_call(f->db, "telemetry.flush_all", NULL);
  const char *path = path_in(f->home->path, "telemetry.db");
  assert_sql(path, "SELECT duration_ms || status || printf('%.6f', execution_start_dtme) || error_type || error_message || "
                   "(error_traceback IS NULL) FROM handler_invocations",
             "0.1error1763200000.123456A\"Bcaf\xC3\xA9\n1");
}

static void test_close_writes_the_rest(void **state) {
  fixture *f = *state;
  open_queue(f);
  record(f, 7, 7);
  close_queue(f);
  assert_int_equal(stored(f), 7);
  assert_int_equal(f->logged, 0);
}

/* The queue's thread must not wait for a transaction that only ends with the handle. */
static void test_close_inside_a_transaction(void **state) {
  fixture *f = *state;
  open_queue(f);
  record(f, 2, 2);
  assert_int_equal(stele_begin(f->db, "telemetry"), STELE_OK);
  must_call(f->db, "telemetry.create_session", NULL);
  close_queue(f);
  assert_int_equal(stored(f), 2);
  assert_sql(path_in(f->home->path, "telemetry.db"), "SELECT count(*) FROM sessions", "1");
}

static void test_a_full_batch_needs_no_flush(void **state) {
  fixture *f = *state;
  stele_options options = queue_options(f);
  options.queue_capacity = 1000;
  f->db = must_open(&options);
  record(f, 100, 100);
  await_stored(f, 100);
}

static void test_the_interval(void **state) {
  fixture *f = *state;
  stele_options options = queue_options(f);
  options.queue_flush_ms = 1;
  f->db = must_open(&options);
  record(f, 1, 1);
  await_stored(f, 1);
  record(f, 2, 2);
  await_stored(f, 3);
}

static void test_more_than_one_batch(void **state) {
  fixture *f = *state;
  stele_options options = queue_options(f);
  options.queue_capacity = 1000;
  f->db = must_open(&options);
  record(f, 950, 950);
  must_call(f->db, "telemetry.flush_all", NULL);
  assert_int_equal(stored(f), 950);
}

static void test_inside_a_transaction_nothing_is_queued(void **state) {
  fixture *f = *state;
  open_queue(f);
  assert_int_equal(stele_begin(f->db, "telemetry"), STELE_OK);
  assert_reply(f->db, "telemetry.record_invocation", RECORD, "{\"id\":1,\"outcome\":\"written\"}");
  must_fail(f->db, "telemetry.flush_all", NULL, STELE_MISUSE);
  assert_int_equal(stele_commit(f->db), STELE_OK);
  assert_int_equal(stored(f), 1);
}

static void test_without_a_queue(void **state) {
  fixture *f = *state;
  assert_reply(f->plain, "telemetry.record_invocation", RECORD, "{\"id\":1,\"outcome\":\"written\"}");
  assert_reply(f->plain, "telemetry.flush_all", NULL, NOTHING);
}

static void test_typed_records(void **state) {
  fixture *f = *state;
  stele_stmt *stmt = NULL;
  open_queue(f);
  assert_int_equal(stele_prepare(f->db, "telemetry.record_invocation", &stmt), STELE_OK);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(stele_bind_int(stmt, "listener_id", 1), STELE_OK);
    assert_int_equal(stele_bind_int(stmt, "session_id", 1), STELE_OK);
    assert_int_equal(stele_bind_real(stmt, "duration_ms", i), STELE_OK);
    assert_int_equal(stele_bind_text(stmt, "status", "success", 7), STELE_OK);
    assert_int_equal(stele_step(stmt), STELE_ROW);
    assert_int_equal(stele_column_type(stmt, 0), STELE_NULL);
    assert_string_equal(stele_column_text(stmt, 1), "queued");
    stele_reset(stmt);
  }
  stele_finalize(stmt);
  close_queue(f);
  assert_sql(path_in(f->home->path, "telemetry.db"), "SELECT sum(duration_ms) FROM handler_invocations", "3.0");
}

/* ---- Dropped -------------------------------------------------------------------------------- */

static void test_overflow(void **state) {
  fixture *f = *state;
  open_queue(f);
  record(f, 12, 10);
  assert_reply(f->db, "telemetry.flush_all", NULL,
               "{\"written\":10,\"dropped\":2,\"dropped_overflow\":2,\"dropped_unknown\":0,\"dropped_failed\":0}");
  record(f, 11, 10); /* there is room again; the counts go on */
  assert_reply(f->db, "telemetry.flush_all", NULL,
               "{\"written\":10,\"dropped\":3,\"dropped_overflow\":3,\"dropped_unknown\":0,\"dropped_failed\":0}");
  assert_int_equal(stored(f), 20);
}

static void test_unknown_parents(void **state) {
  fixture *f = *state;
  open_queue(f);
  record(f, 2, 2);
  must_call(f->db, "telemetry.record_invocation",
            "{\"listener_id\":9,\"session_id\":1,\"duration_ms\":1,\"status\":\"success\"}");
  must_call(f->db, "telemetry.record_execution",
            "{\"job_id\":1,\"session_id\":9,\"duration_ms\":1,\"status\":\"success\"}");
  assert_reply(f->db, "telemetry.flush_all", NULL,
               "{\"written\":2,\"dropped\":2,\"dropped_overflow\":0,\"dropped_unknown\":2,\"dropped_failed\":0}");
  assert_int_equal(stored(f), 2);
}

static void test_bad_records_are_refused_at_once(void **state) {
  fixture *f = *state;
  open_queue(f);
  must_fail(f->db, "telemetry.record_invocation", "{\"listener_id\":1}", STELE_INVALID);
  must_fail(f->db, "telemetry.record_invocation",
            "{\"listener_id\":1,\"session_id\":1,\"duration_ms\":-1,\"status\":\"success\"}", STELE_INVALID);
  assert_reply(f->db, "telemetry.flush_all", NULL, NOTHING);
}

static void test_failed(void **state) {
  fixture *f = *state;
  stele_options options = queue_options(f);
  options.flags |= STELE_OPEN_READONLY; /* no write can go well */
  f->db = must_open(&options);
  record(f, 4, 4);
  assert_reply(f->db, "telemetry.flush_all", NULL,
               "{\"written\":0,\"dropped\":4,\"dropped_overflow\":0,\"dropped_unknown\":0,\"dropped_failed\":4}");
  assert_int_equal(f->logged, 4);
  assert_int_equal(stored(f), 0);
}

/* Whatever is missing while a record is queued: it is queued, dropped and counted, or the call says that there is no memory. */
static void test_no_memory_to_queue(void **state) {
  fixture *f = *state;
  int queued = 0;
  bool reached = true;
  stele_options options = queue_options(f);
  options.queue_capacity = 1000;
  f->db = must_open(&options);
  for (int arena = 0; arena < 2; arena++, reached = true)
    for (int n = 1; reached; n++) {
      char *reply = NULL;
      fail_alloc_nth(n);
      st_arena_fails = arena ? st_alloc_fails : NULL;
      if (arena) st_alloc_fails = NULL;
      stele_status status = stele_call(f->db, "telemetry.record_invocation", RECORD, &reply);
      st_arena_fails = NULL;
      reached = fail_alloc_end();
      assert_true(status == STELE_OK || (reached && status == STELE_NOMEM));
      if (status == STELE_OK && strstr(reply, "queued")) queued++;
      stele_free(reply);
    }
  close_queue(f);
  assert_true(queued > 0 && stored(f) >= queued); /* one whose reply found no memory was queued, too */
}

/* ---- Waiting -------------------------------------------------------------------------------- */

static void test_a_busy_store(void **state) {
  fixture *f = *state;
  stele_options options = queue_options(f);
  options.wait_ms = 50;
  f->db = must_open(&options);
  record(f, 3, 3);
  assert_int_equal(stele_begin(f->plain, "telemetry"), STELE_OK);
  must_fail(f->db, "telemetry.flush_all", NULL, STELE_BUSY); /* not lost: tried again */
  assert_int_equal(stele_rollback(f->plain), STELE_OK);
  await_stored(f, 3);
  assert_reply(f->db, "telemetry.flush_all", NULL, NOTHING);
}

static pthread_t caller;
static atomic_int failures; /* so many allocations of the queue's thread fail */

static bool fails_in_the_queue(void) {
  return !pthread_equal(pthread_self(), caller) && atomic_load(&failures) > 0 && atomic_fetch_sub(&failures, 1) > 0;
}

/* A batch that finds no memory is tried again a little later. */
static void test_a_batch_without_memory(void **state) {
  fixture *f = *state;
  open_queue(f);
  record(f, 3, 3);
  caller = pthread_self();
  atomic_store(&failures, 1);
  st_alloc_fails = fails_in_the_queue;
  assert_reply(f->db, "telemetry.flush_all", NULL,
               "{\"written\":3,\"dropped\":0,\"dropped_overflow\":0,\"dropped_unknown\":0,\"dropped_failed\":0}");
  assert_int_equal(atomic_load(&failures), 0);
  close_queue(f); /* its thread is gone: nobody asks any more */
  st_alloc_fails = NULL;
  assert_int_equal(stored(f), 3);
}

/* Closing does not try for ever: what could not be written in time is dropped, and told. */
static void test_closing_a_busy_store(void **state) {
  fixture *f = *state;
  stele_options options = queue_options(f);
  options.queue_capacity = 1000;
  options.wait_ms = 50;
  f->db = must_open(&options);
  assert_int_equal(stele_begin(f->plain, "telemetry"), STELE_OK);
  record(f, 450, 450);
  close_queue(f);
  assert_int_equal(stele_rollback(f->plain), STELE_OK);
  assert_int_equal(f->logged, 450);
  assert_int_equal(stored(f), 0);
}

/* ---- Fork ----------------------------------------------------------------------------------- */

static int use_queue(void *argument) {
  fixture *f = argument;
  int wrong = differs(f->db, stele_call(f->db, "telemetry.record_invocation", RECORD, NULL), STELE_MISUSE, "record");
  wrong += differs(f->db, stele_call(f->db, "telemetry.flush_all", NULL, NULL), STELE_MISUSE, "flush");
  stele_close(f->db);
  return wrong;
}

static void test_a_queue_after_fork(void **state) {
  fixture *f = *state;
  open_queue(f);
  record(f, 3, 3);
  assert_int_equal(in_child(use_queue, f), 0);
  assert_int_equal(stored(f), 0);
  record(f, 1, 1);
  close_queue(f);
  assert_int_equal(stored(f), 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      queue_test(test_flush),
      queue_test(test_values_are_kept),
      queue_test(test_close_writes_the_rest),
      queue_test(test_close_inside_a_transaction),
      queue_test(test_a_full_batch_needs_no_flush),
      queue_test(test_the_interval),
      queue_test(test_more_than_one_batch),
      queue_test(test_inside_a_transaction_nothing_is_queued),
      queue_test(test_without_a_queue),
      queue_test(test_typed_records),
      queue_test(test_overflow),
      queue_test(test_unknown_parents),
      queue_test(test_bad_records_are_refused_at_once),
      queue_test(test_failed),
      queue_test(test_no_memory_to_queue),
      queue_test(test_a_busy_store),
      queue_test(test_a_batch_without_memory),
      queue_test(test_closing_a_busy_store),
      queue_test(test_a_queue_after_fork),
  };
  return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
