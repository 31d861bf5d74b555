/* read_claude.c - transcripts of Claude Code: one record per line, appended, with the whole of what its program
** knows.  What a record's `toolUseResult` and `progress` repeat is not read.
**
** Sub-agents are sessions of their own, <parent>:agent-<id>, in whichever of the three ways they were written: lines
** with isSidechain in the session's file, agent-<id>.jsonl beside it, or <session>/subagents/.../agent-<id>.jsonl.
**
** The state is lines of one letter and fields: b (the first message has been seen), t (how good the title is),
** c (a call that waits for its result: id, tool), s (a sub-agent in the session's file: id, its last record),
** p (the parent of an agent's file, when its path does not tell it). */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "capture/segmenter.h"
#include "capture/telling.h"

#define CALLS_MAX 16384 /* bytes of waiting calls that are remembered */

typedef struct record {
  st_text raw;
  st_text type, uuid, parent_uuid, session_id, timestamp, cwd, branch, version, sidechain, agent_id, message, subtype,
      content, meta, compact_summary, api_error, summary, leaf_uuid, custom_title, ai_title;
} record;

typedef struct claude {
  st_tell tell; /* the first member; tell.session is the record's */
  st_source *source;
  st_text stem;
  st_text key; /* the record's */
  double time;
  record r;
} claude;

/* ---- The state ------------------------------------------------------------------------------ */

/* The line that begins with a letter and a first field (none: any); NULL: there is none.  *length is without its
** end. */
static const char *find_line(const st_str *state, char letter, st_text field, size_t *length) {
  const char *at = state->text, *end = at ? at + state->length : NULL;
  while (at && at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t size = (size_t)((stop ? stop : end) - at);
    if (*at == letter && (!field.bytes || (size >= field.length + 1 && memcmp(at + 1, field.bytes, field.length) == 0 &&
                                           (size == field.length + 1 || at[field.length + 1] == '\t')))) {
      *length = size;
      return at;
    }
    at = stop ? stop + 1 : end;
  }
  return NULL;
}

static void drop_line(st_str *state, const char *line, size_t length) {
  size_t from = (size_t)(line - state->text), size = length + 1;
  if (from + size > state->length) size = state->length - from;
  memmove(state->text + from, state->text + from + size, state->length - from - size + 1);
  state->length -= size;
}

/* One field and another, which cannot hold the signs between them: ids and names do not. */
static void add_line(st_str *state, char letter, st_text one, st_text other) {
  if ((one.length && (memchr(one.bytes, '\n', one.length) || memchr(one.bytes, '\t', one.length))) ||
      (other.length && memchr(other.bytes, '\n', other.length)))
    return;
  st_str_addc(state, letter);
  st_str_add(state, one.bytes ? one.bytes : "", one.length);
  if (other.bytes) st_str_addc(state, '\t');
  if (other.bytes) st_str_add(state, other.bytes, other.length);
  st_str_addc(state, '\n');
}

static st_text second_field(const char *line, size_t length) {
  const char *tab = memchr(line, '\t', length);
  return tab ? (st_text){tab + 1, length - (size_t)(tab + 1 - line)} : (st_text){0};
}

static void remember_call(claude *c, st_text id, st_text name) {
  st_str *state = c->source->state;
  size_t length;
  const char *oldest;
  if (!id.length || !name.length) return;
  const char *known = find_line(state, 'c', id, &length);
  if (known) drop_line(state, known, length);
  while (state->length > CALLS_MAX && (oldest = find_line(state, 'c', (st_text){0}, &length)) != NULL)
    drop_line(state, oldest, length);
  add_line(state, 'c', id, name);
}

/* The tool that a call was for, which has its result now. */
static st_text recall_call(claude *c, st_text id) {
  size_t length;
  const char *line = id.length ? find_line(c->source->state, 'c', id, &length) : NULL;
  st_text name = {0};
  if (!line) return name;
  st_text found = second_field(line, length);
  name.bytes = st_arena_copy(c->source->arena, found.bytes, found.length);
  name.length = found.length;
  if (!name.bytes) c->tell.stop = true, name.length = 0;
  drop_line(c->source->state, line, length);
  return name;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static bool claims(const char *path, const char *head, size_t length) {
  static const char *const signs[] = {"\"sessionId\":", "\"leafUuid\":", "\"isSnapshotUpdate\":", "\"parentUuid\":"};
  st_text name = st_base_name(path);
  if (!st_ends(name, ".jsonl")) return false;
  if (strstr(path, "/.claude/projects/")) return true;
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (head && memmem(head, length, signs[i], strlen(signs[i])) && memmem(head, length, "\"type\":", 7)) return true;
  return false;
}

static bool begin(st_source *source) {
  source->session = st_base_name(source->path);
  if (st_ends(source->session, ".jsonl")) source->session.length -= strlen(".jsonl");
  return true;
}

static bool is_agent(st_text stem) { return st_starts(stem, "agent-"); }

/* <session>/subagents/.../agent-<id>.jsonl: the session. */
static st_text parent_in_path(const char *path) {
  const char *below = strstr(path, "/subagents/");
  const char *start = below;
  while (start && start > path && start[-1] != '/') start--;
  return below ? (st_text){start, (size_t)(below - start)} : (st_text){0};
}

static st_text join(claude *c, st_text parent, const char *between, st_text id) {
  size_t room = parent.length + strlen(between) + id.length + 1;
  char *text = st_arena_alloc(c->source->arena, room);
  if (!text) {
    c->tell.stop = true;
    return (st_text){0};
  }
  int length = snprintf(text, room, "%.*s%s%.*s", (int)parent.length, parent.bytes, between, (int)id.length, id.bytes);
  return (st_text){text, (size_t)length};
}

/* ---- Whose record it is --------------------------------------------------------------------- */

/* The session of an agent's own file; its parent is in the path, or told by its first record. */
static void session_of_agent(claude *c, st_told_session *facts) {
  st_str *state = c->source->state;
  size_t length;
  st_text parent = parent_in_path(c->source->path);
  if (!parent.length) {
    const char *line = find_line(state, 'p', (st_text){0}, &length);
    st_text told = st_tell_text(&c->tell, c->r.session_id);
    if (!line && told.length) {
      add_line(state, 'p', told, (st_text){0});
      parent = told;
    } else if (line) {
      parent = (st_text){st_arena_copy(c->source->arena, line + 1, length - 1), length - 1};
    }
    if (line && !parent.bytes) c->tell.stop = true;
  }
  facts->agent = (st_text){c->stem.bytes + strlen("agent-"), c->stem.length - strlen("agent-")};
  facts->parent = parent;
  facts->link = parent.length ? ST_LINK_SUBAGENT : ST_LINK_NONE;
  c->tell.session = parent.length ? join(c, parent, ":", c->stem) : c->stem;
}

/* The sub-agent that a line of the session's own file belongs to: it goes on from the last record of one, or
** begins another. */
static st_text find_sidechain(claude *c) {
  st_str *state = c->source->state;
  st_text uuid = st_tell_text(&c->tell, c->r.uuid), parent = st_tell_text(&c->tell, c->r.parent_uuid);
  st_text id = st_tell_text(&c->tell, c->r.agent_id);
  const char *last = NULL, *at = state->text, *end = at ? at + state->length : NULL;
  size_t length = 0, last_length = 0;
  for (; !id.length && at && at < end; at += length + 1) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    length = (size_t)((stop ? stop : end) - at);
    if (*at != 's') continue;
    last = at;
    last_length = length;
    if (parent.length && st_text_same(second_field(at, length), parent)) break;
  }
  if (!id.length && parent.length && last) {
    size_t size = strcspn(last + 1, "\t\n");
    id = (st_text){st_arena_copy(c->source->arena, last + 1, size), size};
    if (!id.bytes) c->tell.stop = true, id.length = 0;
    drop_line(state, last, last_length);
  }
  if (!id.length) id = uuid;
  if (uuid.length) add_line(state, 's', id, uuid);
  return id;
}

static void session_of_sidechain(claude *c, st_told_session *facts) {
  st_text id = find_sidechain(c);
  facts->agent = id;
  facts->parent = c->stem;
  facts->link = ST_LINK_SUBAGENT;
  c->tell.session = join(c, c->stem, ":agent-", id);
}

/* The first message of a file may be a copy of another session's, whose id it then has. */
static void session_of_file(claude *c, st_told_session *facts) {
  size_t length;
  c->tell.session = c->stem;
  if (find_line(c->source->state, 'b', (st_text){0}, &length)) return;
  st_text told = st_tell_text(&c->tell, c->r.session_id);
  add_line(c->source->state, 'b', (st_text){0}, (st_text){0});
  if (!told.length || st_text_same(told, c->stem)) return;
  facts->parent = told;
  facts->link = ST_LINK_RESUME;
}

static void tell_facts(claude *c, st_text model) {
  st_told_session facts = {.cwd = st_tell_text(&c->tell, c->r.cwd),
                           .branch = st_tell_text(&c->tell, c->r.branch),
                           .version = st_tell_text(&c->tell, c->r.version),
                           .model = model};
  if (is_agent(c->stem)) session_of_agent(c, &facts);
  else if (st_pull_true(c->r.sidechain)) session_of_sidechain(c, &facts);
  else session_of_file(c, &facts);
  facts.id = c->tell.session;
  st_tell_session(&c->tell, &facts);
}

/* ---- Messages ------------------------------------------------------------------------------- */

static st_told_message message_of(claude *c, const char *role) {
  return (st_told_message){.key = c->key, .role = st_text_of(role), .timestamp = c->time};
}

static st_text numbered_key(claude *c, int number) {
  return number == 0 ? c->key : st_tell_format(&c->tell, "%.*s#%d", (int)c->key.length, c->key.bytes, number);
}

static void tell_result(claude *c, st_text part, int number) {
  st_text id = {0}, content = {0}, error = {0};
  st_pull_pick(part, (st_pull_want[]){{"tool_use_id", &id}, {"content", &content}, {"is_error", &error}}, 3);
  st_told_message m = message_of(c, "tool");
  m.key = numbered_key(c, number);
  m.tool_call_id = st_tell_text(&c->tell, id);
  m.tool_name = recall_call(c, m.tool_call_id);
  st_tell_content(&c->tell, content, &m);
  if (st_pull_true(error)) m.finish_reason = st_text_of("error");
  st_tell_message(&c->tell, &m);
}

static const char *user_mark(const claude *c) {
  if (st_pull_true(c->r.compact_summary)) return "compact_summary";
  return st_pull_true(c->r.meta) ? "meta" : "";
}

/* A list: each result of a tool is a message of its own, all the rest is one. */
static void tell_parts(claude *c, st_text list) {
  st_str rest;
  int number = 0;
  st_str_init(&rest, (size_t)1 << 30);
  for (st_pull walk = st_pull_into(list); st_pull_next(&walk) && !c->tell.stop;) {
    if (st_pull_is(st_pull_get(walk.value, "type"), "tool_result")) {
      tell_result(c, walk.value, number++);
    } else {
      st_str_addc(&rest, rest.length ? ',' : '[');
      st_str_add(&rest, walk.value.bytes, walk.value.length);
    }
  }
  if (rest.length && !c->tell.stop) {
    st_told_message m = message_of(c, "user");
    st_str_addc(&rest, ']');
    if (rest.failed) c->tell.stop = true;
    m.key = numbered_key(c, number);
    m.finish_reason = st_text_of(user_mark(c));
    if (!c->tell.stop) st_tell_content(&c->tell, (st_text){rest.text, rest.length}, &m);
    st_tell_message(&c->tell, &m); /* what was copied from rest is told before it is freed */
  }
  st_str_free(&rest);
}

static void read_user(claude *c) {
  st_text content = st_pull_get(c->r.message, "content");
  tell_facts(c, (st_text){0});
  if (st_pull_is_array(content)) {
    tell_parts(c, content);
    return;
  }
  st_told_message m = message_of(c, "user");
  st_tell_content(&c->tell, content, &m);
  m.finish_reason = st_text_of(user_mark(c));
  st_tell_message(&c->tell, &m);
}

/* What an assistant's parts add up to. */
typedef struct answer {
  st_str text, reasoning, calls, others;
  st_text only, thought; /* the first of each, which is mostly the only one */
} answer;

static void add_piece(st_str *more, st_text *first, st_text text, const char *between) {
  if (!text.length) return;
  if (!first->bytes) {
    *first = text;
    return;
  }
  if (!more->length) st_str_add(more, first->bytes, first->length);
  st_str_addz(more, between);
  st_str_add(more, text.bytes, text.length);
}

static void read_part(claude *c, answer *a, st_text part) {
  st_text type = {0}, text = {0}, thinking = {0}, id = {0}, name = {0}, input = {0};
  st_pull_pick(part, (st_pull_want[]){{"type", &type}, {"text", &text}, {"thinking", &thinking}, {"id", &id}, {"name", &name}, {"input", &input}}, 6);
  if (st_pull_is(type, "tool_use")) {
    st_text call = st_tell_text(&c->tell, id), tool = st_tell_text(&c->tell, name);
    st_calls_add(&a->calls, call, tool, st_tell_arguments(&c->tell, input));
    remember_call(c, call, tool);
  } else if (st_pull_is(type, "thinking")) {
    add_piece(&a->reasoning, &a->thought, st_tell_text(&c->tell, thinking), "\n\n");
  } else {
    st_text said = st_pull_is(type, "text") ? st_tell_text(&c->tell, text) : (st_text){0};
    add_piece(&a->text, &a->only, said, "\n\n");
    st_str_addc(&a->others, a->others.length ? ',' : '[');
    if (!st_pull_write(c->source->arena, part, &a->others)) c->tell.stop = true;
  }
}

static bool is_all_text(st_text list) {
  for (st_pull walk = st_pull_into(list); st_pull_next(&walk);) {
    st_text type = st_pull_get(walk.value, "type");
    if (!st_pull_is(type, "text") && !st_pull_is(type, "thinking") && !st_pull_is(type, "tool_use")) return false;
  }
  return true;
}

static void tell_answer(claude *c, st_text list, st_told_message *m) {
  answer a = {0};
  st_str_init(&a.text, (size_t)1 << 30);
  st_str_init(&a.reasoning, (size_t)1 << 30);
  st_str_init(&a.others, (size_t)1 << 30);
  for (st_pull walk = st_pull_into(list); st_pull_next(&walk) && !c->tell.stop;) read_part(c, &a, walk.value);
  m->tool_calls = st_calls_built(&c->tell, &a.calls);
  m->reasoning = a.reasoning.length ? st_tell_built(&c->tell, &a.reasoning) : a.thought;
  if (is_all_text(list)) {
    m->content = a.text.length ? st_tell_built(&c->tell, &a.text) : a.only;
  } else {
    st_str_addc(&a.others, ']');
    m->is_json = true;
    m->content = st_tell_built(&c->tell, &a.others);
  }
  st_str_free(&a.text);
  st_str_free(&a.reasoning);
  st_str_free(&a.others);
  st_tell_message(&c->tell, m);
}

static void tell_usage(claude *c, st_text usage, st_text id, st_text model) {
  st_text input = {0}, output = {0}, read = {0}, write = {0};
  if (!st_pull_is_object(usage)) return;
  st_pull_pick(usage, (st_pull_want[]){{"input_tokens", &input}, {"output_tokens", &output}, {"cache_read_input_tokens", &read}, {"cache_creation_input_tokens", &write}}, 4);
  st_told_usage told = {.key = id.length ? id : c->key,
                        .input = st_pull_int(input, 0),
                        .output = st_pull_int(output, 0),
                        .cache_read = st_pull_int(read, 0),
                        .cache_write = st_pull_int(write, 0),
                        .model = model};
  st_tell_usage(&c->tell, &told);
}

static void read_assistant(claude *c) {
  st_text id = {0}, model = {0}, content = {0}, usage = {0}, reason = {0};
  st_pull_pick(c->r.message, (st_pull_want[]){{"id", &id}, {"model", &model}, {"content", &content}, {"usage", &usage}, {"stop_reason", &reason}}, 5);
  bool synthetic = st_pull_is(model, "<synthetic>"); /* a notice of the program's own: no model said it */
  st_text named = synthetic ? (st_text){0} : st_tell_text(&c->tell, model);
  tell_facts(c, named);
  st_told_message m = message_of(c, "assistant");
  m.finish_reason = st_pull_true(c->r.api_error) ? st_text_of("error") : st_tell_text(&c->tell, reason);
  if (st_pull_is_array(content)) {
    tell_answer(c, content, &m);
  } else {
    st_tell_content(&c->tell, content, &m);
    st_tell_message(&c->tell, &m);
  }
  if (!synthetic) tell_usage(c, usage, st_tell_text(&c->tell, id), named);
}

static void read_system(claude *c) {
  if (st_pull_is(c->r.subtype, "turn_duration") || st_pull_is(c->r.subtype, "stop_hook_summary")) {
    st_tell_aside_at(&c->tell, c->time);
    return;
  }
  tell_facts(c, (st_text){0});
  if (!st_pull_is_string(c->r.content)) {
    st_tell_event(&c->tell, c->key, c->time, c->r.raw);
    return;
  }
  st_told_message m = message_of(c, "system");
  m.content = st_tell_text(&c->tell, c->r.content);
  m.finish_reason = st_tell_text(&c->tell, c->r.subtype);
  st_tell_message(&c->tell, &m);
}

/* ---- Titles --------------------------------------------------------------------------------- */

/* A title of a session; a better one is not replaced by a worse. */
static void tell_title(claude *c, st_text value, char rank) {
  st_str *state = c->source->state;
  size_t length;
  const char *line = find_line(state, 't', (st_text){0}, &length);
  if (line && length > 1 && line[1] > rank) return;
  if (line) drop_line(state, line, length);
  add_line(state, 't', (st_text){&rank, 1}, (st_text){0});
  st_told_session facts = {.title = st_tell_text(&c->tell, value)};
  if (is_agent(c->stem)) session_of_agent(c, &facts);
  facts.id = c->tell.session;
  st_tell_session(&c->tell, &facts);
}

/* It titles the session that has the record leafUuid, mostly in another file. */
static void read_summary(claude *c) {
  st_taker *taker = c->source->taker;
  st_text title = st_tell_text(&c->tell, c->r.summary), leaf = st_tell_text(&c->tell, c->r.leaf_uuid);
  if (!leaf.length) {
    tell_title(c, c->r.summary, '1');
  } else if (!c->tell.stop && taker->title_of && !taker->title_of(taker, leaf, title)) {
    c->tell.stop = true;
  }
}

/* ---- Records -------------------------------------------------------------------------------- */

/* A record without an id is known by what it says. */
static st_text key_of(claude *c) {
  st_text uuid = st_tell_text(&c->tell, c->r.uuid);
  if (uuid.length) return uuid;
  uint64_t hash = st_hash64(0, c->r.raw.bytes, c->r.raw.length);
  return st_tell_format(&c->tell, "~%016llx", (unsigned long long)hash);
}

static bool is_one_of(st_text type, const char *const *names) {
  while (*names && !st_pull_is(type, *names)) names++;
  return *names != NULL;
}

static void read_record(claude *c) {
  static const char *const asides[] = {"progress", "file-history-snapshot", "queue-operation", "last-prompt", NULL};
  st_text type = c->r.type;
  if (is_one_of(type, asides)) st_tell_aside(&c->tell);
  else if (st_pull_is(type, "assistant") && st_pull_is_object(c->r.message)) read_assistant(c);
  else if (st_pull_is(type, "user") && st_pull_is_object(c->r.message)) read_user(c);
  else if (st_pull_is(type, "system")) read_system(c);
  else if (st_pull_is(type, "summary") && st_pull_is_string(c->r.summary)) read_summary(c);
  else if (st_pull_is(type, "custom-title") && st_pull_is_string(c->r.custom_title)) tell_title(c, c->r.custom_title, '3');
  else if (st_pull_is(type, "ai-title") && st_pull_is_string(c->r.ai_title)) tell_title(c, c->r.ai_title, '2');
  else if (st_pull_is_object(c->r.raw)) {
    tell_facts(c, (st_text){0});
    st_tell_event(&c->tell, c->key, c->time, c->r.raw);
  } else st_tell_bad(&c->tell, "this is JSON, but no record");
}

static bool take_record(st_source *source, const char *json, size_t length) {
  claude c = {.tell = {.source = source, .session = source->session}, .source = source, .stem = source->session};
  record *r = &c.r;
  r->raw = (st_text){json, length};
  const st_pull_want wants[] = {{"type", &r->type}, {"uuid", &r->uuid}, {"parentUuid", &r->parent_uuid},
      {"sessionId", &r->session_id}, {"timestamp", &r->timestamp}, {"cwd", &r->cwd}, {"gitBranch", &r->branch},
      {"version", &r->version}, {"isSidechain", &r->sidechain}, {"agentId", &r->agent_id}, {"message", &r->message},
      {"subtype", &r->subtype}, {"content", &r->content}, {"isMeta", &r->meta},
      {"isCompactSummary", &r->compact_summary}, {"isApiErrorMessage", &r->api_error}, {"summary", &r->summary},
      {"leafUuid", &r->leaf_uuid}, {"customTitle", &r->custom_title}, {"aiTitle", &r->ai_title}};
  st_pull_pick(r->raw, wants, sizeof wants / sizeof *wants);
  c.time = st_tell_time(&c.tell, r->timestamp);
  c.key = key_of(&c);
  read_record(&c);
  return !c.tell.stop;
}

const st_reader st_reader_claude = {
    .harness = "claude-code",
    .program = "Claude Code",
    .roots = (const char *const[]){"$CLAUDE_CONFIG_DIR/projects", ".claude/projects", NULL},
    .claims = claims,
    .begin = begin,
    .record = take_record,
    .resume = "claude --resume {id}",
    .segments = &st_segments_of_claude,
};
