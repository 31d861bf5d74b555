/* cursor_text.c - texts in Cursor's transcripts (cursor_text.h).
**
** The plain-text form: "user:" and "assistant:" alone on a line begin a turn; in an answer, "[Thinking]", "[Tool
** call] Name" (its arguments indented below) and "[Tool result] Name" begin what they say. */
#include "capture/cursor_text.h"

#include <string.h>

#define OPENED "<user_query>"
#define CLOSED "</user_query>"

static void add_piece(st_str *out, st_text piece) {
  piece = st_trim(piece);
  if (st_empty(piece)) return;
  if (out->length) st_str_addc(out, '\n');
  st_str_add(out, piece.bytes, piece.length);
}

/* Take the next query out of *rest; what stood before it goes to `around`. */
static bool next_query(st_text *rest, st_str *around, st_text *query) {
  const char *open = rest->length ? memmem(rest->bytes, rest->length, OPENED, strlen(OPENED)) : NULL;
  if (!open) return false;
  const char *end = rest->bytes + rest->length;
  const char *start = open + strlen(OPENED);
  const char *close = memmem(start, (size_t)(end - start), CLOSED, strlen(CLOSED));
  add_piece(around, (st_text){rest->bytes, (size_t)(open - rest->bytes)});
  *query = (st_text){start, (size_t)((close ? close : end) - start)};
  const char *after = close ? close + strlen(CLOSED) : end;
  *rest = (st_text){after, (size_t)(end - after)};
  return true;
}

bool st_cursor_tell_prompt(st_tell *tell, const st_told_message *message, st_text text) {
  st_str around, queries;
  st_text rest = text, query;
  bool wrapped = false;
  st_str_init(&around, SIZE_MAX);
  st_str_init(&queries, SIZE_MAX);
  while (next_query(&rest, &around, &query)) {
    wrapped = true;
    add_piece(&queries, query);
  }
  if (wrapped) add_piece(&around, rest);
  else add_piece(&queries, rest);
  st_told_message context = {.role = st_text_of("system"), .timestamp = message->timestamp}, prompt = *message;
  context.key = st_tell_format(tell, "%.*s.context", (int)message->key.length, message->key.bytes);
  context.content = st_tell_built(tell, &around);
  prompt.content = st_tell_built(tell, &queries);
  bool around_it = !st_empty(context.content);
  bool itself = !st_empty(prompt.content) || prompt.tool_calls.bytes || !st_empty(prompt.reasoning);
  if (around_it) st_tell_message(tell, &context);
  if (itself) st_tell_message(tell, &prompt);
  return around_it || itself;
}

st_text st_cursor_shown(st_text text) {
  st_text shown = st_trim(text);
  if (!st_ends(shown, "[REDACTED]")) return text;
  shown.length -= strlen("[REDACTED]");
  return st_trim(shown);
}

/* --------------------------------------------------------------------------------- plain text */

/* The state: one letter for what is being read (u, a, thinking, call, result), its number, a line feed, and its
** text so far. */
enum { USER = 'u', ASSISTANT = 'a', THINKING = 't', CALL = 'c', RESULT = 'r' };

static int number_in(const st_str *state) {
  int number = 0;
  for (const char *at = state->text + 1; *at >= '0' && *at <= '9' && number < 100000000; at++) number = number * 10 + *at - '0';
  return number;
}

static void tell_call(st_tell *tell, st_told_message *message, st_text text) {
  const char *newline = text.length ? memchr(text.bytes, '\n', text.length) : NULL;
  st_text name = st_trim((st_text){text.bytes, newline ? (size_t)(newline - text.bytes) : text.length});
  st_text arguments = {0};
  if (newline) arguments = st_trim((st_text){newline, (size_t)(text.bytes + text.length - newline)});
  st_str calls = {0};
  st_calls_add(&calls, message->key, name, arguments);
  message->tool_calls = st_calls_built(tell, &calls);
  st_tell_message(tell, message);
}

static void tell_result(st_tell *tell, st_told_message *message, st_text text) {
  const char *newline = text.length ? memchr(text.bytes, '\n', text.length) : NULL;
  message->tool_name = st_trim((st_text){text.bytes, newline ? (size_t)(newline - text.bytes) : text.length});
  if (newline) message->content = st_trim((st_text){newline, (size_t)(text.bytes + text.length - newline)});
  message->role = st_text_of("tool");
  st_tell_message(tell, message);
}

/* What has been read so far is a message. */
static void tell_read(st_tell *tell, st_str *state) {
  if (!state->length) return;
  const char *newline = strchr(state->text, '\n');
  st_text text = st_tell_utf8(tell, (st_text){newline + 1, state->length - (size_t)(newline + 1 - state->text)});
  st_told_message message = {.key = st_tell_format(tell, "t%d", number_in(state)), .timestamp = tell->source->modified};
  char kind = state->text[0];
  message.role = st_text_of(kind == USER ? "user" : "assistant");
  if (kind == CALL) {
    tell_call(tell, &message, text);
  } else if (kind == RESULT) {
    tell_result(tell, &message, text);
  } else if (kind == USER) {
    st_cursor_tell_prompt(tell, &message, text);
  } else {
    st_text shown = st_trim(st_cursor_shown(text));
    if (kind == THINKING) message.reasoning = shown;
    else message.content = shown;
    if (!st_empty(shown)) st_tell_message(tell, &message);
  }
}

static void start(st_tell *tell, st_str *state, char kind, st_text first) {
  int number = state->length ? number_in(state) + 1 : 1;
  tell_read(tell, state);
  st_str_clear(state);
  st_str_addf(state, "%c%d\n", kind, number);
  st_str_add(state, first.bytes, first.length);
}

static char kind_of(st_text *line, char now) {
  static const struct {
    const char *mark;
    char kind;
  } marks[] = {{"[Thinking]", THINKING}, {"[Tool call]", CALL}, {"[Tool result]", RESULT}};
  st_text trimmed = st_trim(*line);
  if (st_text_is(trimmed, "user:")) return line->length = 0, USER;
  if (st_text_is(trimmed, "assistant:")) return line->length = 0, ASSISTANT;
  if (now == 0 || now == USER) return 0;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    if (!st_starts(*line, marks[i].mark)) continue;
    size_t skip = strlen(marks[i].mark);
    *line = (st_text){line->bytes + skip, line->length - skip};
    return marks[i].kind;
  }
  bool blank = st_empty(trimmed), indented = line->length && (*line->bytes == ' ' || *line->bytes == '\t');
  if (now == THINKING && blank) return ASSISTANT;
  if (now == CALL && !blank && !indented) return ASSISTANT;
  return 0;
}

/* begin() leaves its own note in the state; a transcript that is plain text is told once, so it is not needed. */
static void drop_note(st_str *state) {
  if (state->length && state->text[0] == '{') st_str_clear(state);
}

bool st_cursor_line(st_source *source, const char *bytes, size_t length) {
  st_tell tell = {.source = source, .session = source->session};
  st_str *state = source->state;
  st_text line = {bytes, length};
  drop_note(state);
  char kind = kind_of(&line, state->length ? state->text[0] : 0);
  if (kind) {
    start(&tell, state, kind, line);
  } else if (state->length) {
    st_str_addc(state, '\n');
    st_str_add(state, bytes, length);
  } else if (!st_empty(st_trim(line))) {
    start(&tell, state, ASSISTANT, line); /* text before any marker */
  }
  if (state->failed) tell.stop = true;
  return !tell.stop;
}

bool st_cursor_end(st_source *source) {
  st_tell tell = {.source = source, .session = source->session};
  if (!source->state->length || source->state->text[0] == '{') return true;
  tell_read(&tell, source->state);
  st_str_clear(source->state);
  return !tell.stop;
}
