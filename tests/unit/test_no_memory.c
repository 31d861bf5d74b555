/* test_no_memory.c - whatever allocation fails while a handle is opened, asked, queued to or looked over, the answer is NOMEM, and
** the next one is right.
**
** Each scene is played again and again, with the 1st, 2nd, 3rd ... allocation of the library, or piece of an arena, failing, until it
** gets through untouched.  (What methods do when SQLite itself has no memory is tests/fault.) */
#include "base/arena.h"
#include "unit/fail_alloc.h"
#include "unit/shelves.h"

/* What a scene is played with. */
typedef struct stage {
  stele_options options;
  stele_db *db; /* open already, where the scene is not about opening */
} stage;

typedef stele_status scene(const stage *on);

static bool is_memory(stele_status status) { return status == STELE_OK || status == STELE_NOMEM; }

/* Every one of the first, then fewer and fewer. */
static int after(int n) { return n < 40 ? n + 1 : n + n / 6; }

static void fail_nth(int n, bool arena) {
  fail_alloc_nth(n);
  st_arena_fails = arena ? st_alloc_fails : NULL;
  if (arena) st_alloc_fails = NULL;
}

static bool end_failing(void) {
  st_arena_fails = NULL;
  return fail_alloc_end();
}

static void play(const char *name, scene *function, const stage *on) {
  for (int arena = 0; arena < 2; arena++) {
    bool fired = true;
    for (int n = 1; fired; n = after(n)) {
      fail_nth(n, arena);
      stele_status status = function(on);
      fired = end_failing();
      if (!is_memory(status) || (status != STELE_OK && !fired))
        fail_msg("%s, %s %d: %s %s", name, arena ? "piece" : "allocation", n, stele_status_name(status),
                 on->db ? stele_error(on->db)->message : "");
    }
    assert_int_equal(function(on), STELE_OK); /* nothing is left of it */
  }
}

/* ---- Scenes --------------------------------------------------------------------------------- */

static stele_status ask(stele_db *db, const char *method, const char *args) {
  char *reply = NULL;
  stele_status status = stele_call(db, method, args, &reply);
  stele_free(reply);
  return status;
}

static stele_status open_and_ask(const stage *on) {
  stele_db *db = NULL;
  stele_status status = stele_open(&on->options, &db);
  if (status == STELE_OK) status = ask(db, "sample.get_shelves", NULL);
  stele_close(db);
  return status;
}

static stele_status ask_for_figures(const stage *on) { return ask(on->db, "sample.get_report", "{}"); }
static stele_status look_at_all(const stage *on) { return ask(on->db, "stele.status", "{}"); }
static stele_status check_all(const stage *on) { return ask(on->db, "stele.doctor", "{\"full\":true}"); }
static stele_status try_repair(const stage *on) { return ask(on->db, "stele.repair", "{\"dry_run\":true}"); }
static stele_status shake_hands(const stage *on) { return ask(on->db, "stele.handshake", "{}"); }
static stele_status list_methods(const stage *on) { return ask(on->db, "stele.methods", "{\"store\":\"sample\"}"); }
static stele_status tell_schema(const stage *on) { return ask(on->db, "stele.schema", "{\"store\":\"sample\"}"); }
static stele_status bring_up_to_date(const stage *on) { return ask(on->db, "stele.migrate", "{}"); }
static stele_status look_after(const stage *on) { return ask(on->db, "stele.upkeep", "{\"dry_run\":true}"); }

static stele_status step_to_end(stele_stmt *stmt) {
  stele_status status = stele_step(stmt);
  for (; status == STELE_ROW; status = stele_step(stmt)) {
    char *json = NULL;
    stele_status told = stele_row_json(stmt, &json);
    stele_free(json);
    if (told != STELE_OK) return told;
  }
  return status == STELE_DONE ? STELE_OK : status;
}

/* In a transaction that is taken back, so that it can be played again. */
static stele_status undone(const stage *on, scene *function) {
  stele_status status = stele_begin(on->db, "sample");
  if (status != STELE_OK) return status;
  status = function(on);
  stele_status ended = stele_rollback(on->db);
  return status == STELE_OK ? ended : status;
}

static stele_status put_one(const stage *on) {
  stele_stmt *stmt = NULL;
  stele_status status = stele_prepare(on->db, "sample.put_item", &stmt);
  if (status == STELE_OK) status = stele_bind_int(stmt, "shelf_id", 1);
  if (status == STELE_OK) status = stele_bind_text(stmt, "label", "lamp", 4);
  if (status == STELE_OK) status = stele_bind_real(stmt, "weight", 1.5);
  if (status == STELE_OK) status = stele_bind_blob(stmt, "picture", "\1\2", 2);
  if (status == STELE_OK) status = stele_bind_json(stmt, "attributes", "{\"a\":[1,2.5,null]}");
  if (status == STELE_OK) status = stele_bind_int(stmt, "made_at", 1000);
  if (status == STELE_OK) status = stele_bind_real(stmt, "lifetime", 30);
  if (status == STELE_OK) status = stele_bind_null(stmt, "note");
  if (status == STELE_OK) status = step_to_end(stmt);
  stele_finalize(stmt);
  return status;
}

static stele_status put_many(const stage *on) {
  return ask(on->db, "sample.put_items", "{\"items\":[{\"shelf_id\":1,\"label\":\"a\"},{\"shelf_id\":1,\"label\":\"b\",\"amount\":3}]}");
}

static stele_status put_with_everything(const stage *on) { return undone(on, put_one); }
static stele_status put_a_list(const stage *on) { return undone(on, put_many); }

static stele_status read_in_steps(const stage *on) {
  stele_stmt *stmt = NULL;
  stele_status status = stele_prepare(on->db, "sample.find_items", &stmt);
  if (status == STELE_OK) status = stele_bind_json(stmt, "", "{\"labels\":[\"first\",\"lamp\"],\"ids\":[1,2]}");
  if (status == STELE_OK) status = step_to_end(stmt);
  stele_finalize(stmt);
  return status;
}

/* A statement that is being read is settled by a write of the same handle. */
static stele_status write_while_reading(const stage *on) {
  stele_stmt *stmt = NULL;
  stele_status status = stele_prepare(on->db, "sample.get_shelves", &stmt);
  if (status == STELE_OK) status = stele_step(stmt);
  if (status == STELE_ROW) status = ask(on->db, "sample.change_item", "{\"id\":1,\"note\":\"seen\"}");
  if (status == STELE_OK) status = step_to_end(stmt);
  stele_finalize(stmt);
  return status;
}

static stele_status use_raw_statements(const stage *on) {
  static const char text[] = "SELECT name, ?1, ?2 FROM shelves";
  stele_value values[] = {{.type = STELE_INT, .integer = 1}, {.type = STELE_TEXT, .bytes = "x", .length = 1}};
  const stele_raw_functions *raw = stele_raw();
  stele_sql *sql = NULL;
  stele_status status = raw->prepare(on->db, "sample", text, sizeof text - 1, &sql);
  if (status == STELE_OK) status = raw->bind(sql, values, 2);
  if (status == STELE_OK) status = raw->step(sql);
  if (status == STELE_ROW) status = STELE_OK;
  raw->finalize(sql);
  return status;
}

/* ---- The tests ------------------------------------------------------------------------------ */

static void play_on_open(const stage *on) {
  play("figures", ask_for_figures, on);
  play("everything", put_with_everything, on);
  play("steps", read_in_steps, on);
  play("while reading", write_while_reading, on);
  play("list", put_a_list, on);
  play("status", look_at_all, on);
  play("doctor", check_all, on);
  play("handshake", shake_hands, on);
  play("methods", list_methods, on);
  play("schema", tell_schema, on);
  play("migrate", bring_up_to_date, on);
}

static void prepare(stele_db *db) {
  add_shelf(db, "attic");
  must_call(db, "sample.put_item", "{\"shelf_id\":1,\"label\":\"first\"}");
}

static void test_opening(void **state) {
  stele_place place = {.store = "planner", .location = path_in(((home *)*state)->directory, "elsewhere.db")};
  stage on = {.options = home_options(*state)};
  on.options.places = &place;
  on.options.nplaces = 1;
  on.options.vault_keys = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  on.options.redaction = "[[rule]]\nname = \"x\"\npattern = \"x-[0-9]+\"\n";
  play("open", open_and_ask, &on);
}

static void test_asking(void **state) {
  stage on = {.options = home_options(*state)};
  on.db = must_open(&on.options);
  prepare(on.db);
  play_on_open(&on);
  play("repair", try_repair, &on);
  play("upkeep", look_after, &on);
  play("raw", use_raw_statements, &on);
  stele_close(on.db);
}

/* Every store, so that all of them are looked at. */
static void test_looking_over_a_whole_home(void **state) {
  static const char *const first[] = {"telemetry.create_session", "planner.get_recent_messages", "assistant.get_notes",
                                      "capture.get_events", "conversation.session_count"};
  stage on = {.options = home_options(*state)};
  on.db = must_open(&on.options);
  prepare(on.db);
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    must_call(on.db, first[i], strstr(first[i], "planner") ? "{\"session\":\"s\"}" : "{}");
  play("doctor", check_all, &on);
  play("status", look_at_all, &on);
  play("repair", try_repair, &on);
  play("handshake", shake_hands, &on);
  stele_close(on.db);
}

static void test_a_queue(void **state) {
  stage on = {.options = home_options(*state)};
  on.options.flags = STELE_OPEN_QUEUE;
  play("open", open_and_ask, &on);
}

#ifdef STELE_POSTGRES
static void test_postgres(void **state) {
  const char *url = getenv("STELE_TEST_POSTGRES");
  char location[PATH_SIZE], sql[100], problem[400], schema[64];
  if (!url) fail_msg("STELE_TEST_POSTGRES must name a PostgreSQL server (tests/postgres.py starts one)");
  snprintf(schema, sizeof schema, "no_memory_%ld", (long)getpid());
  snprintf(location, sizeof location, "%.400s%cschema=%s", url, strchr(url, '?') ? '&' : '?', schema);
  stele_place place = {.store = "sample", .location = location};
  stage on = {.options = home_options(*state)};
  on.options.places = &place;
  on.options.nplaces = 1;
  play("open", open_and_ask, &on);
  on.db = must_open(&on.options);
  prepare(on.db);
  play_on_open(&on);
  stele_close(on.db);
  st_conn *conn = NULL;
  st_target target = {.store = st_store_find("sample", NULL), .location = url, .schema = schema, .wait_ms = 20000};
  assert_int_equal(st_driver_postgres.open(&target, false, &conn, problem), STELE_OK);
  snprintf(sql, sizeof sql, "DROP SCHEMA %s CASCADE", schema);
  assert_int_equal(st_driver_postgres.script(conn, sql), STELE_OK);
  st_driver_postgres.close(conn);
}
#define POSTGRES_TESTS home_test(test_postgres),
#else
#define POSTGRES_TESTS
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(test_opening),
      home_test(test_asking),
      home_test(test_looking_over_a_whole_home),
      home_test(test_a_queue),
      POSTGRES_TESTS
  };
  return cmocka_run_group_tests_name("no_memory", tests, NULL, NULL);
}
