/* read_cursor.c - agent transcripts of Cursor: lines of JSON, or plain text of the first builds.
**
** Many say neither when nor where: the session's id is the file's name, its time the file's, and its directory is
** guessed from the name of the project's folder until a path that a tool was given shows what was meant. */
#include "capture/cursor_text.h"

#include <string.h>

#include "capture/segmenter.h"
#include "capture/telling.h"

#define FOLDER "/agent-transcripts/"

/* ------------------------------------------------------------------------------- file and session */

static bool claims(const char *path, const char *head, size_t length) {
  st_text name = st_base_name(path);
  if (strstr(path, FOLDER)) return st_ends(name, ".jsonl") || st_ends(name, ".txt");
  static const char first[] = "{\"role\":\"user\",\"message\":{\"content\":";
  return st_ends(name, ".jsonl") && length >= sizeof first - 1 && memcmp(head, first, sizeof first - 1) == 0;
}

static st_text stem_of(const char *path) {
  st_text name = st_base_name(path);
  const char *dot = memrchr(name.bytes, '.', name.length);
  if (dot) name.length = (size_t)(dot - name.bytes);
  return name;
}

/* The component of the path that ends at `end`. */
static st_text component(const char *path, const char *end) {
  const char *start = end;
  while (start > path && start[-1] != '/') start--;
  return (st_text){start, (size_t)(end - start)};
}

/* "srv-me-app" of …/projects/srv-me-app/agent-transcripts/… */
static st_text slug_of(const char *path) {
  const char *folder = strstr(path, FOLDER);
  return folder ? component(path, folder) : (st_text){0};
}

static st_text parent_of(const char *path) {
  const char *folder = strstr(path, "/subagents/");
  st_text parent = folder ? component(path, folder) : (st_text){0};
  return st_text_is(parent, "agent-transcripts") ? (st_text){0} : parent;
}

/* A window without a folder has a slug that is a number or a word: nothing to decode. */
static bool names_a_place(st_text slug) {
  bool dash = false, letter = false;
  for (size_t i = 0; i < slug.length; i++) {
    dash |= slug.bytes[i] == '-';
    letter |= slug.bytes[i] < '0' || slug.bytes[i] > '9';
  }
  return dash && letter && !st_text_is(slug, "empty-window");
}

static st_text decoded(st_tell *tell, st_text slug) {
  st_str out;
  if (!names_a_place(slug)) return (st_text){0};
  st_str_init(&out, 4096);
  st_str_addc(&out, '/');
  for (size_t i = 0; i < slug.length; i++) st_str_addc(&out, slug.bytes[i] == '-' ? '/' : slug.bytes[i]);
  if (out.failed && out.length) { /* longer than a path can be */
    st_str_free(&out);
    return (st_text){0};
  }
  return st_tell_built(tell, &out);
}

/* What is told once is noted in the state: {"cwd":true} after a path showed the directory. */
static bool begin(st_source *source) {
  st_tell tell = {.source = source};
  source->session = stem_of(source->path);
  if (source->state->length) return true;
  st_told_session session = {.id = source->session, .parent = parent_of(source->path)};
  if (!st_empty(session.parent)) session.link = ST_LINK_SUBAGENT;
  session.cwd = decoded(&tell, slug_of(source->path));
  session.started_at = source->modified;
  st_str_addz(source->state, "{}");
  if (source->state->failed) return false;
  st_tell_session(&tell, &session);
  return !tell.stop;
}

/* -------------------------------------------------------------------------------------- where */

/* Does a path, written as the program writes the name of a project's folder, give this slug? */
static bool encodes_to(st_text path, st_text slug) {
  size_t at = 0;
  for (size_t i = 1; i < path.length; i++) { /* the first is the slash */
    char c = path.bytes[i];
    bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (at >= slug.length || slug.bytes[at] != (plain ? c : '-')) return false;
    at++;
  }
  return at == slug.length;
}

/* The directory on the way to this path that the slug stands for. */
static st_text ancestor(st_text path, st_text slug) {
  if (path.length < 2 || path.bytes[0] != '/') return (st_text){0};
  for (size_t length = 2; length <= path.length; length++) {
    if (length < path.length && path.bytes[length] != '/') continue;
    st_text prefix = {path.bytes, length};
    if (encodes_to(prefix, slug)) return prefix;
  }
  return (st_text){0};
}

#define INPUT_DEPTH 8

static st_text place_in(st_tell *tell, st_text value, st_text slug, int depth) {
  if (st_pull_is_string(value)) return ancestor(st_tell_text(tell, value), slug);
  if (depth == 0) return (st_text){0};
  for (st_pull walk = st_pull_into(value); st_pull_next(&walk);) {
    st_text place = place_in(tell, walk.value, slug, depth - 1);
    if (!st_empty(place)) return place;
  }
  return (st_text){0};
}

static void correct_place(st_tell *tell, st_text input) {
  st_str *state = tell->source->state;
  st_text slug = slug_of(tell->source->path);
  if (st_empty(slug) || (state->length && strstr(state->text, "\"cwd\""))) return;
  st_told_session session = {.id = tell->session, .cwd = place_in(tell, input, slug, INPUT_DEPTH)};
  if (st_empty(session.cwd)) return;
  st_tell_session(tell, &session);
  st_str_clear(state);
  st_str_addz(state, "{\"cwd\":true}");
  if (state->failed) tell->stop = true;
}

/* ------------------------------------------------------------------------------------- blocks */

typedef struct turn {
  st_text key;
  double time;
  st_text role;
  st_str calls;
  st_str texts;     /* of the text blocks, a line each */
  st_str thoughts;
  st_text parts;    /* all of content, if some block is none of these */
  int count;        /* blocks seen */
} turn;

static void add_line(st_str *out, st_text text) {
  if (!out->max) st_str_init(out, SIZE_MAX);
  else st_str_addc(out, '\n');
  st_str_add(out, text.bytes, text.length);
}

static void tell_result(st_tell *tell, const turn *t, st_text block) {
  st_told_message message = {.role = st_text_of("tool"), .timestamp = t->time};
  message.key = st_tell_format(tell, "%.*s.%d", (int)t->key.length, t->key.bytes, t->count);
  message.tool_call_id = st_tell_member(tell, block, "tool_use_id");
  message.tool_name = st_tell_member(tell, block, "name");
  st_tell_content(tell, st_pull_get(block, "content"), &message);
  st_tell_message(tell, &message);
}

static void add_call(st_tell *tell, turn *t, st_text block) {
  st_text id = {0}, name = {0}, input = {0};
  st_pull_pick(block, (st_pull_want[]){{"id", &id}, {"name", &name}, {"input", &input}}, 3);
  st_text number = st_tell_format(tell, "%.*s.%d", (int)t->key.length, t->key.bytes, t->count);
  st_calls_add(&t->calls, st_either(st_tell_text(tell, id), number), st_tell_text(tell, name), st_tell_json(tell, input));
  correct_place(tell, input);
}

/* False: a block of an unknown kind. */
static bool add_block(st_tell *tell, turn *t, st_text block) {
  st_text type = st_pull_get(block, "type");
  t->count++;
  if (st_pull_is_string(block)) add_line(&t->texts, st_tell_text(tell, block));
  else if (st_pull_is(type, "text")) add_line(&t->texts, st_tell_member(tell, block, "text"));
  else if (st_pull_is(type, "thinking"))
    add_line(&t->thoughts, st_either(st_tell_member(tell, block, "thinking"), st_tell_member(tell, block, "text")));
  else if (st_pull_is(type, "tool_use")) add_call(tell, t, block);
  else return st_pull_is(type, "tool_result");
  return true;
}

/* False: there are none. */
static bool tell_results(st_tell *tell, turn *t, st_text content) {
  bool any = false;
  t->count = 0;
  for (st_pull walk = st_pull_into(content); st_pull_next(&walk);) {
    t->count++;
    if (!st_pull_is(st_pull_get(walk.value, "type"), "tool_result")) continue;
    tell_result(tell, t, walk.value);
    any = true;
  }
  return any;
}

/* False: it says nothing. */
static bool tell_turn(st_tell *tell, turn *t) {
  st_told_message message = {.key = t->key, .role = t->role, .timestamp = t->time};
  st_text text = t->texts.max ? st_tell_built(tell, &t->texts) : (st_text){0};
  message.reasoning = t->thoughts.max ? st_tell_built(tell, &t->thoughts) : (st_text){0};
  message.tool_calls = st_calls_built(tell, &t->calls);
  if (t->parts.bytes) {
    st_tell_content(tell, t->parts, &message);
    st_tell_message(tell, &message);
    return true;
  }
  if (st_text_is(t->role, "user")) return st_cursor_tell_prompt(tell, &message, text);
  message.content = st_cursor_shown(text);
  if (st_empty(message.content) && !message.tool_calls.bytes && st_empty(message.reasoning)) return false;
  st_tell_message(tell, &message);
  return true;
}

static void read_turn(st_tell *tell, st_text record, st_text role, st_text content) {
  turn t = {.key = st_tell_number(tell), .role = st_tell_text(tell, role)};
  t.time = st_tell_time(tell, st_pull_get(record, "timestamp"));
  if (t.time == 0) t.time = tell->source->modified;
  if (st_pull_is_string(content)) add_line(&t.texts, st_tell_text(tell, content));
  for (st_pull walk = st_pull_into(content); st_pull_next(&walk) && !tell->stop;)
    if (!add_block(tell, &t, walk.value)) t.parts = content;
  bool said = tell_turn(tell, &t), answered = tell_results(tell, &t, content);
  if (!said && !answered) st_tell_aside(tell);
  st_str_free(&t.texts); /* what is left of them where telling stopped */
  st_str_free(&t.thoughts);
  st_str_free(&t.calls);
}

static bool record(st_source *source, const char *json, size_t length) {
  st_tell tell = {.source = source, .session = source->session};
  st_text value = {json, length}, role = {0}, message = {0}, event = {0}, type = {0};
  st_pull_pick(value, (st_pull_want[]){{"role", &role}, {"message", &message}, {"event", &event}, {"type", &type}}, 4);
  st_text content = st_pull_get(message, "content");
  if (!st_pull_is_object(value)) st_tell_bad(&tell, "not an object");
  else if (st_pull_is_string(role) && !st_pull_is(role, "") && content.bytes) read_turn(&tell, value, role, content);
  else if (st_pull_is(event, "turn_ended") || st_pull_is(type, "turn_ended")) st_tell_aside(&tell);
  else st_tell_event(&tell, st_tell_number(&tell), source->modified, value);
  return !tell.stop;
}

static const char *const roots[] = {".cursor/projects", NULL};

const st_reader st_reader_cursor = {
  .harness = "cursor",
  .program = "Cursor",
  .roots = roots,
  .claims = claims,
  .begin = begin,
  .record = record,
  .line = st_cursor_line,
  .end = st_cursor_end,
  .resume = "cursor-agent --resume {id}",
  .segments = &st_segments_of_cursor,
};
