/* read_hermes.c - Hermes' own file (state.db): sessions and messages, of every version. */
#include <string.h>

#include "capture/rows.h"

enum { S_ID, S_PARENT, S_MODEL, S_PROMPT, S_STARTED, S_TITLE, S_CWD, S_CONFIG, S_INPUT, S_OUTPUT, S_CACHE_READ,
       S_CACHE_WRITE, S_REASONING, S_ESTIMATED, S_ACTUAL };
static const char *const session_columns[] = {
  "id", "parent_session_id", "model", "system_prompt", "started_at", "title", "cwd", "model_config", "input_tokens",
  "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "estimated_cost_usd", "actual_cost_usd", NULL,
};

enum { M_ID, M_SESSION, M_ROLE, M_CONTENT, M_CALL_ID, M_CALLS, M_TOOL, M_TIME, M_FINISH, M_REASONING,
       M_REASONING_CONTENT, M_ACTIVE };
static const char *const message_columns[] = {
  "id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp", "finish_reason", "reasoning",
  "reasoning_content", "active", NULL,
};

static bool owns(sqlite3 *db) {
  return st_has_columns(db, "sessions", (const char *const[]){"id", "source", "started_at", NULL}) &&
         st_has_columns(db, "messages", (const char *const[]){"id", "session_id", "role", "content", "timestamp", NULL});
}

/* Kinds of children are told apart by how the parent ended, and by marks of later versions. */
static st_link link_of(st_dbrows *parents, st_dbrows *child) {
  enum { REASON, ENDED };
  st_text config = st_row_text(child, S_CONFIG);
  if (st_text_has(config, "\"_branched_from\"")) return ST_LINK_FORK;
  if (st_text_has(config, "\"_delegate_from\"")) return ST_LINK_SUBAGENT;
  st_link link = ST_LINK_SUBAGENT;
  st_dbrows_again(parents);
  st_dbrows_bind_text(parents, 1, st_row_text(child, S_PARENT));
  if (!st_dbrows_next(parents)) return link;
  bool after = st_row_time(child, S_STARTED) >= st_row_time(parents, ENDED);
  st_text reason = st_row_text(parents, REASON);
  if (after && st_text_is(reason, "compression")) link = ST_LINK_COMPACTION;
  if (after && st_text_is(reason, "branched")) link = ST_LINK_FORK;
  return link;
}

static void tell_spent(st_tell *tell, st_dbrows *row) {
  st_told_usage usage = {.key = st_text_of("session"), .model = st_row_text(row, S_MODEL), .summed = true};
  usage.input = st_row_int(row, S_INPUT);
  usage.output = st_row_int(row, S_OUTPUT);
  usage.cache_read = st_row_int(row, S_CACHE_READ);
  usage.cache_write = st_row_int(row, S_CACHE_WRITE);
  usage.reasoning = st_row_int(row, S_REASONING);
  usage.cost = st_row_real(row, S_ACTUAL);
  if (usage.cost == 0) usage.cost = st_row_real(row, S_ESTIMATED);
  if (usage.input || usage.output || usage.cache_read || usage.cache_write || usage.cost > 0) st_tell_usage(tell, &usage);
}

/* Sessions do not say when they changed: all are told. */
static void tell_sessions(st_tell *tell, sqlite3 *db) {
  st_dbrows rows = st_dbrows_of(tell, db, "sessions", session_columns, "ORDER BY started_at, id");
  st_dbrows parents =
    st_dbrows_of(tell, db, "sessions", (const char *const[]){"end_reason", "ended_at", NULL}, "WHERE id = ?1");
  while (st_dbrows_next(&rows)) {
    st_told_session session = {.id = st_row_text(&rows, S_ID), .parent = st_row_text(&rows, S_PARENT)};
    if (!st_empty(session.parent)) session.link = link_of(&parents, &rows);
    session.title = st_row_text(&rows, S_TITLE);
    session.cwd = st_row_text(&rows, S_CWD);
    session.model = st_row_text(&rows, S_MODEL);
    session.system_prompt = st_row_text(&rows, S_PROMPT);
    session.started_at = st_row_time(&rows, S_STARTED);
    tell->session = session.id;
    st_tell_session(tell, &session);
    tell_spent(tell, &rows);
    st_arena_reset(tell->source->arena);
  }
  st_dbrows_close(&parents);
  st_dbrows_close(&rows);
}

/* Content of several parts is kept as JSON behind a mark. */
static void set_content(st_tell *tell, st_told_message *message, st_text content) {
  static const char mark[] = "\0json:";
  size_t length = sizeof mark - 1;
  if (content.length > length && memcmp(content.bytes, mark, length) == 0) {
    st_text json = {content.bytes + length, content.length - length};
    if (st_is_json(json)) {
      message->is_json = true;
      content = st_tell_json(tell, json);
    }
  }
  message->content = content;
}

static void tell_row(st_tell *tell, st_dbrows *row) {
  st_told_message message = {.role = st_row_text(row, M_ROLE), .timestamp = st_row_time(row, M_TIME)};
  message.key = st_tell_format(tell, "%lld", (long long)st_row_int(row, M_ID));
  set_content(tell, &message, st_row_text(row, M_CONTENT));
  st_text calls = st_row_text(row, M_CALLS);
  if (st_is_json(calls)) message.tool_calls = st_tell_json(tell, calls);
  else if (!st_empty(calls)) st_tell_bad(tell, "tool_calls is not JSON");
  message.tool_call_id = st_row_text(row, M_CALL_ID);
  message.tool_name = st_row_text(row, M_TOOL);
  message.reasoning = st_either(st_row_text(row, M_REASONING), st_row_text(row, M_REASONING_CONTENT));
  message.finish_reason = st_row_text(row, M_FINISH);
  tell->session = st_row_text(row, M_SESSION);
  st_tell_message(tell, &message);
}

/* Messages are only added, and numbered as they come.  What was rewound is not part of the conversation. */
static int64_t tell_messages(st_tell *tell, sqlite3 *db, int64_t after) {
  bool marks = st_has_column(db, "messages", "active");
  st_dbrows rows = st_dbrows_of(tell, db, "messages", message_columns, "WHERE id > ?1 ORDER BY id");
  st_dbrows_bind_int(&rows, 1, after);
  while (st_dbrows_next(&rows)) {
    if (marks && st_row_int(&rows, M_ACTIVE) == 0) st_tell_aside(tell);
    else tell_row(tell, &rows);
    if (!tell->stop) after = st_row_int(&rows, M_ID);
    st_arena_reset(tell->source->arena);
  }
  st_dbrows_close(&rows);
  return after;
}

static bool read_all(st_source *source, sqlite3 *db) {
  return st_dbrows_read(source, db, tell_sessions, tell_messages);
}

static const char *const roots[] = {"$HERMES_HOME/state.db", ".hermes/state.db", NULL};

const st_reader st_reader_hermes = {
  .harness = "hermes",
  .program = "Hermes",
  .roots = roots,
  .owns = owns,
  .read = read_all,
  .resume = "hermes --resume {id}",
};
