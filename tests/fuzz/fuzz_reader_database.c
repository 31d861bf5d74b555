/* fuzz_reader_database.c - any bytes in the columns that readers of databases take apart: each line is a value of every one. */
#include <sqlite3.h>

#include "capture/readers.h"
#include "fuzz/reading.h"

static const struct {
  const char *tables, *rows;
} files[] = {
  {"CREATE TABLE session (id, project_id, parent_id, directory, title, version, time_created, time_updated);"
   "CREATE TABLE message (id, session_id, time_created, time_updated, data);"
   "CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data);"
   "CREATE TABLE session_message (id, session_id, type, time_created, time_updated, data);",
   "DELETE FROM session; DELETE FROM message; DELETE FROM part; DELETE FROM session_message;"
   "INSERT INTO session VALUES ('s', 'p', NULL, '/w', ?1, '1', 1000, 1000);"
   "INSERT INTO message VALUES ('m', 's', 1000, 1000, ?1), ('n', 's', 1000, 1000, '{\"role\":\"assistant\"}');"
   "INSERT INTO part VALUES ('a', 'm', 's', 1, 1, ?1), ('b', 'n', 's', 1, 1, ?1);"
   "INSERT INTO session_message VALUES ('v', 't', 'assistant', 9999, 9999, ?1), ('w', 't', 'user', 9999, 9999, ?1),"
   "('x', 't', 'shell', 9999, 9999, ?1);"},
  {"CREATE TABLE sessions (id, source, started_at, model_config);"
   "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, content, tool_calls, timestamp);",
   "DELETE FROM sessions; DELETE FROM messages; INSERT INTO sessions VALUES ('s', 'cli', ?1, ?1);"
   "INSERT INTO messages VALUES (1, 's', 'user', ?1, ?1, ?1), (2, 's', 'user', CAST(?1 AS BLOB), NULL, 5);"},
  {"CREATE TABLE interactions (id, user_message, agent_response, tools_used, channel, user_id, created_at);",
   "DELETE FROM interactions; INSERT INTO interactions VALUES ('i', ?1, ?1, ?1, ?1, ?1, ?1);"},
  {"CREATE TABLE agentic_sessions (session_id, harness, project_dir, summary_text, tool_calls_json, user_prompts_json, start_time, end_time);",
   "DELETE FROM agentic_sessions; INSERT INTO agentic_sessions VALUES ('s', ?1, 'd', ?1, ?1, ?1, 1, 2);"},
};
#define FILES (sizeof files / sizeof *files)

static void fill(sqlite3 *db, const char *script, const char *value, size_t length) {
  while (*script) {
    sqlite3_stmt *statement = NULL;
    must(sqlite3_prepare_v2(db, script, -1, &statement, &script) == SQLITE_OK, sqlite3_errmsg(db));
    if (sqlite3_bind_parameter_count(statement)) sqlite3_bind_text(statement, 1, value, (int)length, SQLITE_STATIC);
    must(sqlite3_step(statement) == SQLITE_DONE, sqlite3_errmsg(db));
    sqlite3_finalize(statement);
  }
}

static void read_one(sqlite3 *db, const char *rows, const char *value, size_t length) {
  heard h;
  drive d;
  fill(db, rows, value, length);
  const st_reader *reader = st_reader_of_database(db);
  must(reader != NULL, "nobody's");
  heard_open(&h);
  drive_open(&d, reader, "/x.db", 1770000000, &h.taker);
  must(reader->read(&d.source, db), "the reader stopped by itself");
  must(!h.wrong, h.wrong);
  drive_close(&d);
  heard_close(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static sqlite3 *dbs[FILES];
  const char *at = (const char *)data, *end = at + size;
  for (size_t i = 0; i < FILES && !dbs[i]; i++) {
    must(sqlite3_open(":memory:", &dbs[i]) == SQLITE_OK, "no memory");
    fill(dbs[i], files[i].tables, "", 0);
  }
  for (int lines = 0; at < end && lines < 8; lines++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *stop = newline ? newline : end;
    for (size_t i = 0; i < FILES; i++) read_one(dbs[i], files[i].rows, at, (size_t)(stop - at));
    at = newline ? newline + 1 : end;
  }
  return 0;
}
