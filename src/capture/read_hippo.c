/* read_hippo.c - hippo's own file: the digests it made of coding sessions, as conversations.
**
** A session is kept in segments, each with its prompts, its tool calls in a few words, and a summary.  Files before version
** 14 have them in claude_sessions only; a version 18 file has both tables, and the newer one is right. */
#include <string.h>

#include "capture/rows.h"

enum { ID, HARNESS, SEGMENT, MODEL, AGENT, CWD, BRANCH, TITLE, PARENT, SUMMARY, CALLS, PROMPTS, FILE_NAME, STARTED, ENDED, PROBE };
static const char *const columns[] = {
  "session_id", "harness", "segment_index", "model", "agent", "cwd", "git_branch", "title", "parent_session_id", "summary_text",
  "tool_calls_json", "user_prompts_json", "source_file", "start_time", "end_time", "probe_tag", NULL,
};

static bool owns(sqlite3 *db) {
  static const char *const segment[] = {"session_id", "project_dir", "summary_text", "start_time", "end_time", NULL};
  return st_has_columns(db, "agentic_sessions", segment) || st_has_columns(db, "claude_sessions", segment);
}

static bool contains(st_text text, const char *word) {
  for (size_t i = 0, length = strlen(word); i + length <= text.length; i++)
    if (strncasecmp(text.bytes + i, word, length) == 0) return true;
  return false;
}

/* The old table does not name the harness; the place of the transcript does, by the rules of version 18. */
static st_text harness_of(st_dbrows *row) {
  st_text harness = st_row_text(row, HARNESS), file = st_row_text(row, FILE_NAME);
  if (!st_empty(harness)) return harness;
  if (contains(file, "/.codex/") || contains(file, "CodingAssistant/codex")) return st_text_of("codex");
  if (contains(file, "/.cursor/")) return st_text_of("cursor");
  return st_text_of("claude-code");
}

static st_text named(st_tell *tell, st_text harness, st_text id) {
  return st_tell_format(tell, "%.*s:%.*s", (int)harness.length, harness.bytes, (int)id.length, id.bytes);
}

static void tell_owner(st_tell *tell, st_dbrows *row) {
  st_text harness = harness_of(row), parent = st_row_text(row, PARENT);
  st_told_session session = {.id = tell->session, .title = st_row_text(row, TITLE)};
  if (!st_empty(parent)) {
    session.parent = named(tell, harness, parent);
    session.link = ST_LINK_SUBAGENT;
  }
  session.cwd = st_row_text(row, CWD);
  session.branch = st_row_text(row, BRANCH);
  session.model = st_row_text(row, MODEL);
  session.agent = st_row_text(row, AGENT);
  if (st_row_int(row, SEGMENT) == 0) session.started_at = st_row_time(row, STARTED);
  st_tell_session(tell, &session);
}

static st_text key_of(st_tell *tell, st_dbrows *row, const char *what, int number) {
  return st_tell_format(tell, "%lld.%s%d", (long long)st_row_int(row, SEGMENT), what, number);
}

static void tell_prompts(st_tell *tell, st_dbrows *row) {
  st_text prompts = st_row_text(row, PROMPTS);
  int number = 0;
  if (st_empty(prompts)) return;
  if (!st_is_json(prompts)) {
    st_tell_bad(tell, "user_prompts_json is not JSON");
    return;
  }
  for (st_pull walk = st_pull_into(prompts); st_pull_next(&walk);) {
    st_told_message prompt = {.key = key_of(tell, row, "prompt", ++number), .role = st_text_of("user")};
    prompt.timestamp = st_row_time(row, STARTED);
    st_tell_content(tell, walk.value, &prompt);
    st_tell_message(tell, &prompt);
  }
}

/* [{"name","summary"}]: the summary is what is known of the arguments. */
static void tell_calls(st_tell *tell, st_dbrows *row) {
  st_text list = st_row_text(row, CALLS);
  st_str calls = {0};
  int number = 0;
  if (st_empty(list)) return;
  if (!st_is_json(list)) {
    st_tell_bad(tell, "tool_calls_json is not JSON");
    return;
  }
  for (st_pull walk = st_pull_into(list); st_pull_next(&walk);)
    st_calls_add(&calls, key_of(tell, row, "call", ++number), st_tell_member(tell, walk.value, "name"),
                 st_either(st_tell_member(tell, walk.value, "summary"), st_tell_json(tell, walk.value)));
  if (!number) return;
  st_told_message message = {.key = key_of(tell, row, "calls", 0), .role = st_text_of("assistant")};
  message.timestamp = st_row_time(row, ENDED);
  message.tool_calls = st_calls_built(tell, &calls);
  st_tell_message(tell, &message);
}

static void tell_segment(st_tell *tell, st_dbrows *row) {
  tell->session = named(tell, harness_of(row), st_row_text(row, ID));
  tell_owner(tell, row);
  tell_prompts(tell, row);
  tell_calls(tell, row);
  st_told_message summary = {.key = key_of(tell, row, "summary", 0), .role = st_text_of("system")};
  summary.content = st_row_text(row, SUMMARY);
  summary.timestamp = st_row_time(row, ENDED);
  if (!st_empty(summary.content)) st_tell_message(tell, &summary);
}

/* Segments grow, and say so by their end.  Rows of probes are not anybody's work. */
static int64_t tell_segments(st_tell *tell, st_dbrows *rows, st_dbrows *newer, int64_t since) {
  st_dbrows_bind_int(rows, 1, since);
  int64_t last = since;
  while (st_dbrows_next(rows)) {
    bool replaced = false;
    if (newer) {
      st_dbrows_again(newer);
      st_dbrows_bind_text(newer, 1, st_row_text(rows, ID));
      st_dbrows_bind_int(newer, 2, st_row_int(rows, SEGMENT));
      replaced = st_dbrows_next(newer);
    }
    if (replaced || !st_empty(st_row_text(rows, PROBE))) st_tell_aside(tell);
    else tell_segment(tell, rows);
    if (st_row_int(rows, ENDED) > last) last = st_row_int(rows, ENDED);
    st_arena_reset(tell->source->arena);
  }
  st_dbrows_close(rows);
  return last;
}

/* Version 14 keeps no segments: a session is one row. */
static const char *order(sqlite3 *db, const char *table) {
  return st_has_column(db, table, "segment_index") ? "WHERE end_time >= ?1 ORDER BY start_time, session_id, segment_index"
                                                   : "WHERE end_time >= ?1 ORDER BY start_time, session_id";
}

static bool read_all(st_source *source, sqlite3 *db) {
  st_tell tell = {.source = source};
  bool both = st_has_column(db, "agentic_sessions", "session_id");
  bool segments = st_has_column(db, "agentic_sessions", "segment_index");
  if (!st_dbrows_begin(&tell, db)) return !tell.stop;
  int64_t since = st_dbrows_kept(&tell, "end"), last = since, old = since;
  if (both) {
    st_dbrows rows = st_dbrows_of(&tell, db, "agentic_sessions", columns, order(db, "agentic_sessions"));
    last = tell_segments(&tell, &rows, NULL, since);
  }
  if (st_has_column(db, "claude_sessions", "session_id")) {
    st_dbrows rows = st_dbrows_of(&tell, db, "claude_sessions", columns, order(db, "claude_sessions"));
    st_dbrows newer = {.tell = &tell};
    if (segments)
      newer = st_dbrows_of(&tell, db, "agentic_sessions", columns, "WHERE session_id = ?1 AND segment_index = ?2");
    old = tell_segments(&tell, &rows, segments ? &newer : NULL, since);
    st_dbrows_close(&newer);
  }
  st_dbrows_keep(&tell, "end", last > old ? last : old);
  st_dbrows_end(db);
  return !tell.stop;
}

static const char *const roots[] = {NULL}; /* not looked for: these sessions are found at their source */

const st_reader st_reader_hippo = {
  .harness = "hippo",
  .program = "hippo",
  .roots = roots,
  .owns = owns,
  .read = read_all,
};
