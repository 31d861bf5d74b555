/* test_reader_database.c - readers of databases: whose they are, what is read of them, and stopping anywhere. */
#include "capture/reading.h"
#include "capture/readers.h"

#include <stdio.h>

#define OPENCODE \
  "CREATE TABLE session (id, project_id, parent_id, directory, title, version, time_created, time_updated);" \
  "CREATE TABLE message (id, session_id, time_created, time_updated, data);" \
  "CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data);" \
  "CREATE TABLE credential (id, secret);" \
  "INSERT INTO session VALUES ('s', 'p', NULL, '/w', 'T', '1', 1000, 1000);" \
  "INSERT INTO message VALUES ('m', 's', 1000, 1000, '{\"role\":\"assistant\",\"modelID\":\"x\",\"tokens\":{\"input\":3}}');" \
  "INSERT INTO message VALUES ('n', 's', 1001, 1001, '{\"role\":7}');" \
  "INSERT INTO message VALUES ('o', 's', 1002, 1002, 'no');" \
  "INSERT INTO part VALUES ('a', 'm', 's', 1, 1, '{\"type\":\"text\",\"text\":\"hi\"}');" \
  "INSERT INTO part VALUES ('b', 'm', 's', 1, 1, '{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"t\",\"state\":{\"status\":\"completed\"," \
  "\"input\":{},\"output\":\"o\"}}');" \
  "INSERT INTO part VALUES ('c', 'm', 's', 1, 1, '{\"type\":\"odd\"}');" \
  "INSERT INTO part VALUES ('d', 'm', 's', 1, 1, '{');"

static const char OPENCODE_TELLS[] =
  "session s title=T cwd=/w version=1\n"
  "bad a part is not JSON\n"
  "message s m assistant text=hi calls=[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"t\",\"arguments\":\"{}\"}}]\n"
  "message s b tool text=o call=c tool=t\n"
  "message s c event json={\"type\":\"odd\"}\n"
  "usage s key=m 3 0 0 0 0 model=x\n"
  "session s model=x\n"
  "message s n event json={\"role\":7}\n"
  "bad a message is not JSON\n";

static sqlite3 *database(const char *script) {
  sqlite3 *db = NULL;
  assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
  char *why = NULL;
  if (sqlite3_exec(db, script, NULL, NULL, &why) != SQLITE_OK) fail_msg("%s", why);
  return db;
}

static void told(sqlite3 *db, const char *wanted) {
  heard h;
  drive d;
  const st_reader *reader = st_reader_of_database(db);
  assert_non_null(reader);
  heard_open(&h);
  drive_open(&d, reader, "/x.db", MODIFIED, &h.taker);
  assert_true(reader->read(&d.source, db));
  assert_string_equal(h.log.text, wanted);
  if (h.wrong) fail_msg("%s", h.wrong);
  drive_close(&d);
  heard_close(&h);
}

static int denied(void *reads, int action, const char *table, const char *column, const char *base, const char *inner) {
  (void)column, (void)base, (void)inner;
  if (action == SQLITE_READ && strcmp(table, "credential") == 0) ++*(int *)reads;
  return SQLITE_OK;
}

static void opencode_is_read_without_its_secrets(void **state) {
  (void)state;
  int reads = 0;
  sqlite3 *db = database(OPENCODE);
  sqlite3_set_authorizer(db, denied, &reads);
  told(db, OPENCODE_TELLS);
  assert_int_equal(reads, 0);
  sqlite3_exec(db, "SELECT * FROM credential", NULL, NULL, NULL);
  assert_true(reads > 0); /* it would have been seen */
  sqlite3_close(db);
}

static void it_stops_anywhere(void **state) {
  (void)state;
  sqlite3 *db = database(OPENCODE);
  size_t length = sizeof OPENCODE_TELLS - 1;
  bool all = false;
  for (int left = 0; !all; left++) {
    heard h;
    drive d;
    heard_open(&h);
    h.left = left;
    drive_open(&d, &st_reader_opencode, "/x.db", MODIFIED, &h.taker);
    all = st_reader_opencode.read(&d.source, db);
    assert_memory_equal(h.log.text, OPENCODE_TELLS, h.log.length);
    assert_true(!all || h.log.length == length);
    assert_true(all || d.state.length == 0); /* what was not told is asked for again */
    drive_close(&d);
    heard_close(&h);
  }
  for (int n = 1, reached = true; reached; n++) {
    heard h;
    drive d;
    heard_open(&h);
    st_str_add(&h.log, OPENCODE_TELLS, length);
    st_str_clear(&h.log);
    drive_open(&d, &st_reader_opencode, "/x.db", MODIFIED, &h.taker);
    fail_alloc_nth(n);
    all = st_reader_opencode.read(&d.source, db);
    reached = fail_alloc_end();
    if (all) assert_string_equal(h.log.text, OPENCODE_TELLS);
    assert_true(reached || all);
    drive_close(&d);
    heard_close(&h);
  }
  sqlite3_close(db);
}

static void whose_is(const char *script, const char *harness) {
  sqlite3 *db = database(script);
  const st_reader *reader = st_reader_of_database(db);
  if (harness) assert_string_equal(reader ? reader->harness : "nobody", harness);
  else assert_null(reader);
  sqlite3_close(db);
}

static void databases_are_known_by_their_tables(void **state) {
  (void)state;
  whose_is(OPENCODE, "opencode");
  whose_is("CREATE TABLE sessions (id, source, started_at); CREATE TABLE messages (id, session_id, role, content, timestamp)", "hermes");
  whose_is("CREATE TABLE sessions (session, connector); CREATE TABLE messages (session, role, content, trusted, processed)", "kiso");
  whose_is("CREATE TABLE interactions (id, user_message, agent_response, created_at)", "kwasi");
  whose_is("CREATE TABLE claude_sessions (session_id, project_dir, summary_text, start_time, end_time)", "hippo");
  whose_is("CREATE TABLE listeners (app_key, instance_index, topic); CREATE TABLE scheduled_jobs (app_key, job_name);"
           "CREATE TABLE sessions (last_heartbeat_at)", "hassette");
  whose_is("CREATE TABLE sessions (id); CREATE TABLE messages (id)", NULL);
  whose_is("CREATE VIEW interactions AS SELECT 1 AS id", NULL);
}

static void whose_file(const char *path, const char *head, const char *harness) {
  const st_reader *reader = st_reader_of_file(path, head, strlen(head));
  assert_string_equal(reader ? reader->harness : "nobody", harness);
}

static void files_are_known_by_path_and_head(void **state) {
  (void)state;
  whose_file("/x/rollout-2025.jsonl", "", "codex");
  whose_file("/x/rollout-2025.jsonl.zst", "\x28\xb5\x2f\xfd", "codex");
  whose_file("/x/y.jsonl", "{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{}}", "codex");
  whose_file("/x/y.jsonl", "{\"id\":\"i\",\"timestamp\":\"t\",\"instructions\":null}", "codex");
  whose_file("/h/.codex/session_index.jsonl", "{\"id\":\"i\",\"thread_name\":\"n\"}", "codex");
  whose_file("/h/.codex/history.jsonl", "{\"session_id\":\"i\",\"ts\":1,\"text\":\"t\"}", "nobody");
  whose_file("/p/s/agent-transcripts/a/a.jsonl", "", "cursor");
  whose_file("/p/s/agent-transcripts/a.txt", "user:", "cursor");
  whose_file("/x/y.jsonl", "{\"role\":\"user\",\"message\":{\"content\":[]}}", "cursor");
  whose_file("/x/notes.txt", "user:", "nobody");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(opencode_is_read_without_its_secrets),
    cmocka_unit_test(it_stops_anywhere),
    cmocka_unit_test(databases_are_known_by_their_tables),
    cmocka_unit_test(files_are_known_by_path_and_head),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
