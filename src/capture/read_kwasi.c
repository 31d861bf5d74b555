/* read_kwasi.c - Kwasi's own file: every exchange with a user of a channel is two messages of one conversation. */
#include "capture/rows.h"

enum { ID, SAID, ANSWERED, TOOLS, CHANNEL, USER, CREATED, ROWID };
static const char *const columns[] = {
  "id", "user_message", "agent_response", "tools_used", "channel", "user_id", "created_at", "rowid", NULL,
};

static bool owns(sqlite3 *db) {
  return st_has_columns(db, "interactions", (const char *const[]){"id", "user_message", "agent_response", "created_at", NULL});
}

static st_text first_of(st_tell *tell, st_text record, const char *const *names) {
  for (; *names; names++) {
    st_text value = st_pull_get(record, *names);
    if (value.bytes) return st_tell_arguments(tell, value);
  }
  return (st_text){0};
}

/* The records of tool calls have no documented form: a name, or an object with one under a usual word. */
static st_text calls_of(st_tell *tell, st_text tools, st_text id) {
  st_str calls = {0};
  int number = 0;
  if (!st_is_json(tools)) return (st_text){0};
  for (st_pull walk = st_pull_into(tools); st_pull_next(&walk);) {
    st_text call_id = st_tell_format(tell, "%.*s.%d", (int)id.length, id.bytes, ++number);
    st_text name = st_pull_is_string(walk.value) ? st_tell_text(tell, walk.value)
      : first_of(tell, walk.value, (const char *const[]){"name", "tool", "tool_name", NULL});
    st_text arguments = first_of(tell, walk.value, (const char *const[]){"arguments", "args", "input", NULL});
    st_calls_add(&calls, call_id, name, st_either(arguments, st_tell_json(tell, walk.value)));
  }
  return st_calls_built(tell, &calls);
}

/* A conversation is what one user said on one channel. */
static st_text session_of(st_tell *tell, st_dbrows *row) {
  st_text channel = st_row_text(row, CHANNEL), user = st_row_text(row, USER);
  st_text id = st_tell_format(tell, "%.*s%s%.*s", (int)channel.length, channel.bytes ? channel.bytes : "",
                              st_empty(channel) || st_empty(user) ? "" : ":", (int)user.length, user.bytes ? user.bytes : "");
  return st_empty(id) ? st_text_of("kwasi") : id;
}

/* The row of a group is the one that has the least time. */
static void tell_sessions(st_tell *tell, sqlite3 *db) {
  st_dbrows rows = st_dbrows_of(tell, db, "interactions", columns, "GROUP BY channel, user_id HAVING MIN(created_at) IS NOT NULL");
  while (st_dbrows_next(&rows)) {
    st_told_session session = {.id = session_of(tell, &rows), .started_at = st_row_time(&rows, CREATED)};
    st_tell_session(tell, &session);
    st_arena_reset(tell->source->arena);
  }
  st_dbrows_close(&rows);
}

static void tell_exchange(st_tell *tell, st_dbrows *row) {
  st_text id = st_row_text(row, ID);
  double time = st_row_time(row, CREATED);
  tell->session = session_of(tell, row);
  st_told_message said = {.role = st_text_of("user"), .content = st_row_text(row, SAID), .timestamp = time};
  said.key = st_tell_format(tell, "%.*s.user", (int)id.length, id.bytes ? id.bytes : "");
  if (!st_empty(said.content)) st_tell_message(tell, &said);
  st_told_message answer = {.role = st_text_of("assistant"), .content = st_row_text(row, ANSWERED), .timestamp = time};
  answer.key = st_tell_format(tell, "%.*s.assistant", (int)id.length, id.bytes ? id.bytes : "");
  answer.tool_calls = calls_of(tell, st_row_text(row, TOOLS), id);
  if (!st_empty(answer.content) || answer.tool_calls.bytes) st_tell_message(tell, &answer);
}

/* Ids say nothing about the order, and are not numbers; a row does not change.  rowid is the order of writing. */
static bool read_all(st_source *source, sqlite3 *db) {
  st_tell tell = {.source = source};
  if (!st_dbrows_begin(&tell, db)) return !tell.stop;
  tell_sessions(&tell, db);
  int64_t after = st_dbrows_kept(&tell, "row"), row_id = after;
  st_dbrows rows = st_dbrows_of(&tell, db, "interactions", columns, "WHERE rowid > ?1 ORDER BY rowid");
  st_dbrows_bind_int(&rows, 1, after);
  while (st_dbrows_next(&rows)) {
    tell_exchange(&tell, &rows);
    if (!tell.stop) row_id = st_row_int(&rows, ROWID);
    st_arena_reset(source->arena);
  }
  st_dbrows_close(&rows);
  st_dbrows_keep(&tell, "row", row_id);
  st_dbrows_end(db);
  return !tell.stop;
}

static const char *const roots[] = {NULL};

const st_reader st_reader_kwasi = {
  .harness = "kwasi",
  .program = "Kwasi",
  .roots = roots,
  .owns = owns,
  .read = read_all,
};
