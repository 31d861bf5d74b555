/* read_kiso.c - kiso's own file (store.db): its sessions, and the inbox of messages. */
#include "capture/rows.h"

enum { S_ID, S_DESCRIPTION, S_SUMMARY, S_CREATED, S_UPDATED };
static const char *const session_columns[] = {"session", "description", "summary", "created_at", "updated_at", NULL};

enum { M_ID, M_SESSION, M_USER, M_ROLE, M_CONTENT, M_TRUSTED, M_TIME };
static const char *const message_columns[] = {"id", "session", "user", "role", "content", "trusted", "timestamp", NULL};

static bool owns(sqlite3 *db) {
  return st_has_columns(db, "sessions", (const char *const[]){"session", "connector", NULL}) &&
         st_has_columns(db, "messages", (const char *const[]){"session", "role", "content", "trusted", "processed", NULL});
}

/* The summary is rewritten as the session goes on: one message, whose text changes. */
static void tell_summary(st_tell *tell, st_dbrows *row) {
  st_told_message summary = {.key = st_text_of("summary"), .role = st_text_of("system")};
  summary.content = st_row_text(row, S_SUMMARY);
  summary.timestamp = st_row_time(row, S_UPDATED);
  if (!st_empty(summary.content)) st_tell_message(tell, &summary);
}

static void tell_sessions(st_tell *tell, sqlite3 *db) {
  st_dbrows rows = st_dbrows_of(tell, db, "sessions", session_columns, "ORDER BY session");
  while (st_dbrows_next(&rows)) {
    st_told_session session = {.id = st_row_text(&rows, S_ID), .title = st_row_text(&rows, S_DESCRIPTION)};
    session.started_at = st_row_time(&rows, S_CREATED);
    tell->session = session.id;
    st_tell_session(tell, &session);
    tell_summary(tell, &rows);
    st_arena_reset(tell->source->arena);
  }
  st_dbrows_close(&rows);
}

/* What somebody said who is not known to the system was never part of what the agent was told: kept, and marked. */
static st_text untrusted(st_tell *tell, st_dbrows *row) {
  st_text user = st_row_text(row, M_USER), content = st_row_text(row, M_CONTENT);
  st_str json;
  st_str_init(&json, SIZE_MAX);
  st_str_addz(&json, "{\"trusted\":false,\"user\":");
  st_json_add_string(&json, user.bytes ? user.bytes : "", user.length);
  st_str_addz(&json, ",\"content\":");
  st_json_add_string(&json, content.bytes ? content.bytes : "", content.length);
  st_str_addc(&json, '}');
  return st_tell_built(tell, &json);
}

static void tell_row(st_tell *tell, st_dbrows *row, bool trusted) {
  st_told_message message = {.role = st_row_text(row, M_ROLE), .timestamp = st_row_time(row, M_TIME)};
  message.key = st_tell_format(tell, "%lld", (long long)st_row_int(row, M_ID));
  message.content = trusted ? st_row_text(row, M_CONTENT) : untrusted(tell, row);
  message.is_json = !trusted;
  if (!trusted) message.role = st_text_of("event");
  tell->session = st_row_text(row, M_SESSION);
  st_tell_message(tell, &message);
}

/* A message may belong to a session that has no row. */
static void tell_owner(st_tell *tell, st_dbrows *known, st_text id) {
  st_dbrows_again(known);
  st_dbrows_bind_text(known, 1, id);
  if (!st_dbrows_next(known)) st_tell_session(tell, &(st_told_session){.id = id});
}

static int64_t tell_messages(st_tell *tell, sqlite3 *db, int64_t after) {
  st_dbrows known = st_dbrows_of(tell, db, "sessions", session_columns, "WHERE session = ?1");
  st_dbrows rows = st_dbrows_of(tell, db, "messages", message_columns, "WHERE id > ?1 ORDER BY id");
  st_dbrows_bind_int(&rows, 1, after);
  while (st_dbrows_next(&rows)) {
    tell_owner(tell, &known, st_row_text(&rows, M_SESSION));
    tell_row(tell, &rows, st_row_int(&rows, M_TRUSTED) != 0);
    if (!tell->stop) after = st_row_int(&rows, M_ID);
    st_arena_reset(tell->source->arena);
  }
  st_dbrows_close(&rows);
  st_dbrows_close(&known);
  return after;
}

static bool read_all(st_source *source, sqlite3 *db) {
  return st_dbrows_read(source, db, tell_sessions, tell_messages);
}

static const char *const roots[] = {".kiso/instances", NULL};

const st_reader st_reader_kiso = {
  .harness = "kiso",
  .program = "kiso",
  .roots = roots,
  .owns = owns,
  .read = read_all,
};
