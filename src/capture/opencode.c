/* opencode.c - the messages in opencode's database (opencode.h). */
#include "capture/opencode.h"

/* ------------------------------------------------------------------------------------- a turn */

static void add_line(st_str *out, st_text text) {
  if (!out->max) st_str_init(out, SIZE_MAX);
  else st_str_addc(out, '\n');
  st_str_add(out, text.bytes, text.length);
}

void st_opencode_text(st_opencode_turn *turn, st_text text) {
  if (!st_empty(text)) add_line(&turn->texts, text);
}

void st_opencode_thought(st_opencode_turn *turn, st_text text) {
  if (!st_empty(text)) add_line(&turn->thoughts, text);
}

void st_opencode_file(st_tell *tell, st_opencode_turn *turn, st_text part) {
  if (!turn->parts.max) st_str_init(&turn->parts, SIZE_MAX);
  st_str_addc(&turn->parts, ',');
  if (!st_pull_write(tell->source->arena, part, &turn->parts)) turn->parts.failed = true;
}

/* The text comes first, then what was attached to it. */
static st_text with_parts(st_tell *tell, st_opencode_turn *turn, st_text text) {
  st_str json;
  st_str_init(&json, SIZE_MAX);
  st_str_addz(&json, "[{\"type\":\"text\",\"text\":");
  st_json_add_string(&json, text.bytes ? text.bytes : "", text.length);
  st_str_addc(&json, '}');
  st_text parts = st_tell_built(tell, &turn->parts);
  st_str_add(&json, parts.bytes, parts.length);
  st_str_addc(&json, ']');
  return st_tell_built(tell, &json);
}

void st_opencode_tell(st_tell *tell, st_opencode_turn *turn) {
  st_told_message *message = &turn->message;
  if (turn->texts.max) message->content = st_tell_built(tell, &turn->texts);
  if (turn->thoughts.max) message->reasoning = st_tell_built(tell, &turn->thoughts);
  if (turn->parts.max) {
    message->content = with_parts(tell, turn, message->content);
    message->is_json = true;
  }
  message->tool_calls = st_calls_built(tell, &turn->calls);
  bool says = message->content.length || message->reasoning.length || message->tool_calls.length;
  if (says) st_tell_message(tell, message);
}

void st_opencode_spent(st_tell *tell, st_text key, st_text data, st_text model) {
  st_text tokens = st_pull_get(data, "tokens"), cache = {0}, input = {0}, output = {0}, reasoning = {0};
  st_pull_pick(tokens, (st_pull_want[]){{"cache", &cache}, {"input", &input}, {"output", &output},
    {"reasoning", &reasoning}}, 4);
  st_told_usage usage = {.key = key, .model = model};
  usage.input = st_pull_int(input, 0);
  usage.output = st_pull_int(output, 0);
  usage.reasoning = st_pull_int(reasoning, 0);
  usage.cache_read = st_pull_int(st_pull_get(cache, "read"), 0);
  usage.cache_write = st_pull_int(st_pull_get(cache, "write"), 0);
  usage.cost = st_pull_real(st_pull_get(data, "cost"), 0);
  if (usage.input || usage.output || usage.reasoning || usage.cache_read || usage.cache_write || usage.cost > 0)
    st_tell_usage(tell, &usage);
}

void st_opencode_answer(st_tell *tell, st_text key, st_text call, st_text name, st_text state, double time) {
  st_text status = {0}, output = {0}, error = {0}, content = {0}, when = {0};
  st_pull_pick(state, (st_pull_want[]){{"status", &status}, {"output", &output}, {"error", &error}, {"content", &content},
    {"time", &when}}, 5);
  bool failed = st_pull_is(status, "error");
  if (!failed && !st_pull_is(status, "completed")) return;
  st_told_message answer = {.key = key, .role = st_text_of("tool"), .timestamp = st_tell_time(tell, st_pull_get(when, "end"))};
  if (answer.timestamp == 0) answer.timestamp = time;
  answer.tool_call_id = call;
  answer.tool_name = name;
  st_text why = st_pull_is_object(error) ? st_pull_get(error, "message") : error;
  st_tell_content(tell, failed && why.bytes ? why : output.bytes ? output : content, &answer);
  if (st_empty(answer.content) && st_pull_get(when, "compacted").bytes) return;
  st_tell_message(tell, &answer);
}

/* ------------------------------------------------------------------------------- first form */

enum { M_ID, M_SESSION, M_CREATED, M_UPDATED, M_DATA };
static const char *const message_columns[] = {"id", "session_id", "time_created", "time_updated", "data", NULL};
enum { P_ID, P_UPDATED, P_DATA };
static const char *const part_columns[] = {"id", "time_updated", "data", NULL};

typedef struct part {
  st_text type, text, call, tool, state;
  bool aside; /* put there by the program: synthetic, or not for the model */
} part;

static part look_at(st_tell *tell, st_text data) {
  st_text text = {0}, call = {0}, tool = {0}, synthetic = {0}, ignored = {0};
  part p = {0};
  st_pull_pick(data, (st_pull_want[]){{"type", &p.type}, {"text", &text}, {"callID", &call}, {"tool", &tool},
    {"state", &p.state}, {"synthetic", &synthetic}, {"ignored", &ignored}}, 7);
  p.text = st_tell_text(tell, text);
  p.call = st_tell_text(tell, call);
  p.tool = st_tell_text(tell, tool);
  p.aside = st_pull_true(synthetic) || st_pull_true(ignored);
  return p;
}

static bool is_bookkeeping(st_text type) {
  return st_pull_is(type, "step-start") || st_pull_is(type, "step-finish") || st_pull_is(type, "snapshot") ||
         st_pull_is(type, "patch");
}

/* What belongs into the message itself. */
static void add_part(st_tell *tell, st_opencode_turn *turn, st_text data) {
  part p = look_at(tell, data);
  if (st_pull_is(p.type, "text") && !p.aside) st_opencode_text(turn, p.text);
  else if (st_pull_is(p.type, "reasoning")) st_opencode_thought(turn, p.text);
  else if (st_pull_is(p.type, "file")) st_opencode_file(tell, turn, data);
  else if (st_pull_is(p.type, "tool"))
    st_calls_add(&turn->calls, p.call, p.tool, st_tell_json(tell, st_pull_get(p.state, "input")));
}

/* What follows it: answers of tools, what the program added, and parts of kinds that are not known. */
static void tell_part(st_tell *tell, st_text id, st_text data, double time) {
  part p = look_at(tell, data);
  if (st_pull_is(p.type, "tool")) {
    st_opencode_answer(tell, id, p.call, p.tool, p.state, time);
  } else if (st_pull_is(p.type, "text") && p.aside) {
    st_told_message added = {.key = id, .role = st_text_of("system"), .content = p.text, .timestamp = time};
    if (!st_empty(added.content)) st_tell_message(tell, &added);
  } else if (is_bookkeeping(p.type)) {
    st_tell_aside(tell);
  } else if (!st_pull_is(p.type, "text") && !st_pull_is(p.type, "reasoning") && !st_pull_is(p.type, "file")) {
    st_tell_event(tell, id, time, data);
  }
}

/* Parts are gone through twice; one that is broken is told the first time. */
static bool next_part(st_dbrows *parts, bool first_time, st_text *data) {
  while (st_dbrows_next(parts)) {
    *data = st_row_text(parts, P_DATA);
    if (st_is_json(*data)) return true;
    if (first_time) st_tell_bad(parts->tell, "a part is not JSON");
  }
  return false;
}

static void tell_failure(st_tell *tell, st_text id, st_text data, double time) {
  st_text error = st_pull_get(data, "error");
  if (st_pull_is_object(error))
    st_tell_event(tell, st_tell_format(tell, "%.*s.error", (int)id.length, id.bytes), time, error);
}

/* All rows of a session, or what has changed since of any. */
static st_dbrows rows_since(st_tell *tell, sqlite3 *db, const char *table, const char *const *columns, st_text session, int64_t since,
                            const char *changed) {
  st_dbrows rows = st_dbrows_of(tell, db, table, columns, session.bytes ? "WHERE session_id = ?1 ORDER BY time_created, id" : changed);
  if (session.bytes) st_dbrows_bind_text(&rows, 1, session);
  else st_dbrows_bind_int(&rows, 1, since);
  return rows;
}

static void read_message(st_tell *tell, st_dbrows *row, st_dbrows *parts, int64_t *last) {
  st_text id = st_row_text(row, M_ID), data = st_row_text(row, M_DATA), piece;
  double time = st_row_time(row, M_CREATED);
  st_opencode_turn turn = {.message = {.key = id, .timestamp = time}};
  if (!st_is_json(data)) {
    st_tell_bad(tell, "a message is not JSON");
    return;
  }
  st_text model = st_tell_member(tell, data, "modelID");
  bool summary = st_pull_true(st_pull_get(data, "summary"));
  turn.message.role = summary ? st_text_of("system") : st_tell_member(tell, data, "role");
  turn.message.finish_reason = st_tell_member(tell, data, "finish");
  if (st_empty(turn.message.role)) {
    st_tell_event(tell, id, time, data);
    return;
  }
  st_dbrows_again(parts);
  st_dbrows_bind_text(parts, 1, id);
  while (next_part(parts, true, &piece)) {
    if (st_row_int(parts, P_UPDATED) > *last) *last = st_row_int(parts, P_UPDATED);
    add_part(tell, &turn, piece);
  }
  st_opencode_tell(tell, &turn);
  st_dbrows_again(parts);
  while (next_part(parts, false, &piece)) tell_part(tell, st_row_text(parts, P_ID), piece, time);
  tell_failure(tell, id, data, time);
  st_opencode_spent(tell, id, data, model);
  if (!st_empty(model)) st_tell_session(tell, &(st_told_session){.id = tell->session, .model = model});
}

void st_opencode_messages(st_tell *tell, sqlite3 *db, st_text session, int64_t since, int64_t *last) {
  st_dbrows parts = st_dbrows_of(tell, db, "part", part_columns, "WHERE message_id = ?1 ORDER BY id");
  st_dbrows rows = rows_since(tell, db, "message", message_columns, session, since,
    "WHERE time_updated >= ?1 OR id IN (SELECT message_id FROM part WHERE time_updated >= ?1) ORDER BY time_created, id");
  while (st_dbrows_next(&rows)) {
    tell->session = st_row_text(&rows, M_SESSION);
    read_message(tell, &rows, &parts, last);
    if (st_row_int(&rows, M_UPDATED) > *last) *last = st_row_int(&rows, M_UPDATED);
    st_arena_reset(tell->source->arena);
  }
  st_dbrows_close(&rows);
  st_dbrows_close(&parts);
}

/* ------------------------------------------------------------------------------ second form */

enum { N_ID, N_SESSION, N_TYPE, N_CREATED, N_UPDATED, N_DATA };
static const char *const columns_2[] = {"id", "session_id", "type", "time_created", "time_updated", "data", NULL};

static void add_content(st_tell *tell, st_opencode_turn *turn, st_text content) {
  for (st_pull walk = st_pull_into(content); st_pull_next(&walk);) {
    st_text type = {0}, text = {0}, id = {0}, name = {0}, state = {0};
    st_pull_pick(walk.value, (st_pull_want[]){{"type", &type}, {"text", &text}, {"id", &id}, {"name", &name},
      {"state", &state}}, 5);
    if (st_pull_is(type, "text")) st_opencode_text(turn, st_tell_text(tell, text));
    else if (st_pull_is(type, "reasoning")) st_opencode_thought(turn, st_tell_text(tell, text));
    else if (st_pull_is(type, "tool"))
      st_calls_add(&turn->calls, st_tell_text(tell, id), st_tell_text(tell, name),
                   st_tell_arguments(tell, st_pull_get(state, "input")));
    else st_opencode_file(tell, turn, walk.value);
  }
}

static void tell_answers(st_tell *tell, st_text key, st_text content, double time) {
  for (st_pull walk = st_pull_into(content); st_pull_next(&walk);) {
    if (!st_pull_is(st_pull_get(walk.value, "type"), "tool")) continue;
    st_text id = st_tell_member(tell, walk.value, "id");
    st_text own = st_tell_format(tell, "%.*s.%.*s", (int)key.length, key.bytes, (int)id.length, id.bytes ? id.bytes : "");
    st_opencode_answer(tell, own, id, st_tell_member(tell, walk.value, "name"), st_pull_get(walk.value, "state"), time);
  }
}

static void read_assistant(st_tell *tell, st_opencode_turn *turn, st_text data) {
  st_text content = st_pull_get(data, "content"), key = turn->message.key;
  double time = turn->message.timestamp;
  st_text model = st_tell_member(tell, st_pull_get(data, "model"), "id");
  turn->message.role = st_text_of("assistant");
  turn->message.finish_reason = st_tell_member(tell, data, "finish");
  add_content(tell, turn, content);
  st_opencode_tell(tell, turn);
  tell_answers(tell, key, content, time);
  tell_failure(tell, key, data, time);
  st_opencode_spent(tell, key, data, model);
  if (!st_empty(model)) st_tell_session(tell, &(st_told_session){.id = tell->session, .model = model});
}

static void read_user(st_tell *tell, st_opencode_turn *turn, st_text data) {
  turn->message.role = st_text_of("user");
  st_opencode_text(turn, st_tell_member(tell, data, "text"));
  for (st_pull walk = st_pull_into(st_pull_get(data, "files")); st_pull_next(&walk);)
    st_opencode_file(tell, turn, walk.value);
  st_opencode_tell(tell, turn);
}

/* A command that the user ran: a call, and its answer. */
static void read_shell(st_tell *tell, st_opencode_turn *turn, st_text data) {
  st_text key = turn->message.key, call = st_either(st_tell_member(tell, data, "callID"), key);
  st_told_message answer = {.role = st_text_of("tool"), .timestamp = turn->message.timestamp, .tool_call_id = call};
  answer.key = st_tell_format(tell, "%.*s.output", (int)key.length, key.bytes);
  answer.tool_name = st_text_of("shell");
  answer.content = st_tell_member(tell, data, "output");
  turn->message.role = st_text_of("assistant");
  st_calls_add(&turn->calls, call, answer.tool_name, st_tell_member(tell, data, "command"));
  st_opencode_tell(tell, turn);
  if (st_pull_get(st_pull_get(data, "time"), "completed").bytes || answer.content.length) st_tell_message(tell, &answer);
}

static void read_message_2(st_tell *tell, st_dbrows *row) {
  st_text type = st_row_text(row, N_TYPE), data = st_row_text(row, N_DATA), key = st_row_text(row, N_ID);
  st_opencode_turn turn = {.message = {.key = key, .timestamp = st_row_time(row, N_CREATED)}};
  if (!st_is_json(data)) {
    st_tell_bad(tell, "a message is not JSON");
  } else if (st_text_is(type, "assistant")) {
    read_assistant(tell, &turn, data);
  } else if (st_text_is(type, "user")) {
    read_user(tell, &turn, data);
  } else if (st_text_is(type, "shell")) {
    read_shell(tell, &turn, data);
  } else if (st_text_is(type, "system") || st_text_is(type, "synthetic") || st_text_is(type, "compaction")) {
    turn.message.role = st_text_of("system");
    st_opencode_text(&turn, st_tell_member(tell, data, st_text_is(type, "compaction") ? "summary" : "text"));
    st_opencode_tell(tell, &turn);
  } else {
    st_tell_event(tell, key, turn.message.timestamp, data);
  }
}

/* A file that was brought over has its old messages in both forms, under other ids.  So of a session that has messages of
** the first form only what came after the last of these is read in the second. */
#define FORMS_APART_MS 10000

void st_opencode_messages_2(st_tell *tell, sqlite3 *db, st_text session, int64_t since, int64_t *last) {
  bool both = st_has_column(db, "message", "time_created");
  st_dbrows before = {.tell = tell};
  if (both)
    before = st_dbrows_of(tell, db, "message", message_columns, "WHERE session_id = ?1 AND time_created >= ?2 LIMIT 1");
  st_dbrows rows = rows_since(tell, db, "session_message", columns_2, session, since,
    "WHERE time_updated >= ?1 ORDER BY time_created, id");
  while (st_dbrows_next(&rows)) {
    tell->session = st_row_text(&rows, N_SESSION);
    st_dbrows_again(&before);
    st_dbrows_bind_text(&before, 1, tell->session);
    st_dbrows_bind_int(&before, 2, st_row_int(&rows, N_CREATED) - FORMS_APART_MS);
    if (both && st_dbrows_next(&before)) st_tell_aside(tell);
    else read_message_2(tell, &rows);
    if (st_row_int(&rows, N_UPDATED) > *last) *last = st_row_int(&rows, N_UPDATED);
    st_arena_reset(tell->source->arena);
  }
  st_dbrows_close(&rows);
  st_dbrows_close(&before);
}

void st_opencode_both(st_tell *tell, sqlite3 *db, st_text session, int64_t since, int64_t *last) {
  if (st_has_column(db, "part", "message_id")) st_opencode_messages(tell, db, session, since, last);
  if (st_has_column(db, "session_message", "data")) st_opencode_messages_2(tell, db, session, since, last);
}
