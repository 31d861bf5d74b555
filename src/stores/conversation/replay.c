/* replay.c - a session's messages as they are sent to a model again. */
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "registry_ids.h"
#include "stores/conversation/conversation.h"
#include "stores/conversation/text.h"

/* ---- Recalled memory ------------------------------------------------------------------------
**
** Before a prompt goes to the model, memory may be put into it: a note in brackets and a block
** between <memory-context> tags.  What was kept with it is given back without it. */

static const char *skip_space(const char *at, const char *end) {
  for (const char *next = at; at < end; at = next)
    if (!st_text_space(st_text_next(&next, end))) break;
  return at;
}

/* Behind a word, whatever its case; NULL if it does not stand there. */
static const char *skip_word(const char *at, const char *end, const char *word) {
  size_t length = strlen(word);
  return at && (size_t)(end - at) >= length && strncasecmp(at, word, length) == 0 ? at + length : NULL;
}

/* Behind a tag that stands here; NULL: none does. */
static const char *skip_tag(const char *at, const char *end, bool closing) {
  at = skip_word(at, end, closing ? "</" : "<");
  if (at) at = skip_word(skip_space(at, end), end, "memory-context");
  return at ? skip_word(skip_space(at, end), end, ">") : NULL;
}

static const char *skip_block(const char *at, const char *end) {
  at = skip_tag(at, end, false);
  for (; at && at < end; at++) {
    const char *behind = *at == '<' ? skip_tag(at, end, true) : NULL;
    if (behind) return behind;
  }
  return NULL;
}

static const char *skip_stray(const char *at, const char *end) {
  const char *behind = skip_tag(at, end, false);
  return behind ? behind : skip_tag(at, end, true);
}

static const char *skip_note(const char *at, const char *end) {
  static const char *const words[] = {"[System note:", "The following is recalled memory context,",
                                      "NOT new user input.", "Treat as "};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (i > 0 && at) at = skip_space(at, end);
    at = skip_word(at, end, words[i]);
  }
  if (!at) return NULL;
  const char *close = memchr(at, ']', (size_t)(end - at));
  if (!close || close[-1] != '.') return NULL;
  const char *known = skip_word(at, end, "informational background data");
  if (known ? known + 1 != close : !skip_word(at, end, "authoritative reference data")) return NULL;
  return skip_space(close + 1, end);
}

/* Take out all that skip() finds at a character; the text is changed where it lies. */
static size_t take_out(char *text, size_t length, char begin, const char *(*skip)(const char *, const char *)) {
  const char *at = text, *end = text + length;
  char *to = text;
  while (at < end) {
    const char *behind = *at == begin ? skip(at, end) : NULL;
    if (behind)
      at = behind;
    else
      *to++ = *at++;
  }
  return (size_t)(to - text);
}

static bool mentions_memory(const st_value *content) {
  const char *end = content->bytes + content->length;
  for (const char *at = content->bytes; at < end && (at = memchr(at, '-', (size_t)(end - at))); at++)
    if (at - content->bytes >= 6 && skip_word(at - 6, end, "memory-context")) return true;
  for (const char *at = content->bytes; at < end && (at = memchr(at, '[', (size_t)(end - at))); at++)
    if (skip_word(at, end, "[System note:")) return true;
  return false;
}

/* A text of user or assistant as it was said. */
static st_value said(st_call *call, const st_value *content) {
  st_value value = *content;
  if (mentions_memory(content)) {
    char *copy = st_call_copy(call, content->bytes, content->length);
    if (!copy) return value;
    value.length = take_out(copy, value.length, '<', skip_block);
    value.length = take_out(copy, value.length, '[', skip_note);
    value.length = take_out(copy, value.length, '<', skip_stray);
    value.bytes = copy;
  }
  st_text_strip(&value.bytes, &value.length);
  return value;
}

/* ---- The conversation ----------------------------------------------------------------------- */

/* What users said since an assistant last answered. */
typedef struct prompt prompt;
struct prompt {
  prompt *next;
  st_value content;
};

typedef struct replay {
  st_call *call;
  st_str out;
  st_arena scratch;
  bool lineage;
  prompt *prompts;
  st_value row[ST_R_CONVERSATION_READ_REPLAY_MESSAGE_ID + 1];
} replay;

static bool is(const st_value *text, const char *word) {
  return text->type == ST_TEXT && text->length == strlen(word) && memcmp(text->bytes, word, text->length) == 0;
}

static bool says(const st_value *text) { return text->type == ST_TEXT && text->length > 0; }

/* Was this prompt sent already, and never answered?  Continuations begin by repeating theirs. */
static bool repeats(replay *r, const st_value *role, const st_value *content) {
  if (!r->lineage) return false;
  if (is(role, "assistant") && (says(content) || says(&r->row[ST_R_CONVERSATION_READ_REPLAY_TOOL_CALLS])))
    r->prompts = NULL;
  if (!is(role, "user") || content->type != ST_TEXT) return false;
  for (prompt *p = r->prompts; p; p = p->next)
    if (p->content.length == content->length && memcmp(p->content.bytes, content->bytes, content->length) == 0)
      return true;
  prompt *p = st_call_alloc(r->call, sizeof *p);
  if (!p) return false;
  p->content = *content;
  p->content.bytes = st_call_copy(r->call, content->bytes, content->length);
  p->next = r->prompts;
  if (p->content.bytes) r->prompts = p;
  return false;
}

static void add_text(replay *r, const char *key, size_t column, bool even_empty) {
  const st_value *value = &r->row[column];
  if (value->type != ST_TEXT || (value->length == 0 && !even_empty)) return;
  st_str_addf(&r->out, ",\"%s\":", key);
  st_json_add_string(&r->out, value->bytes, value->length);
}

static void add_json(replay *r, const char *key, size_t column, const char *otherwise) {
  const st_value *value = &r->row[column];
  if (!says(value)) return;
  st_str_addf(&r->out, ",\"%s\":", key);
  st_json_add_kept(&r->out, value, otherwise, &r->scratch);
}

static void add_message(replay *r, const st_value *role, const st_value *content) {
  if (r->out.length > 1) st_str_addc(&r->out, ',');
  st_str_addz(&r->out, "{\"role\":");
  st_json_add_string(&r->out, role->bytes, role->length);
  st_str_addz(&r->out, ",\"content\":");
  st_content_add(&r->out, content, &r->scratch);
  add_text(r, "tool_call_id", ST_R_CONVERSATION_READ_REPLAY_TOOL_CALL_ID, false);
  add_text(r, "tool_name", ST_R_CONVERSATION_READ_REPLAY_TOOL_NAME, false);
  add_json(r, "tool_calls", ST_R_CONVERSATION_READ_REPLAY_TOOL_CALLS, "[]");
  add_text(r, "message_id", ST_R_CONVERSATION_READ_REPLAY_MESSAGE_ID, false);
  if (is(role, "assistant")) {
    add_text(r, "finish_reason", ST_R_CONVERSATION_READ_REPLAY_FINISH_REASON, false);
    add_text(r, "reasoning", ST_R_CONVERSATION_READ_REPLAY_REASONING, false);
    add_text(r, "reasoning_content", ST_R_CONVERSATION_READ_REPLAY_REASONING_CONTENT, true);
    add_json(r, "reasoning_details", ST_R_CONVERSATION_READ_REPLAY_REASONING_DETAILS, "null");
    add_json(r, "codex_reasoning_items", ST_R_CONVERSATION_READ_REPLAY_CODEX_REASONING_ITEMS, "null");
    add_json(r, "codex_message_items", ST_R_CONVERSATION_READ_REPLAY_CODEX_MESSAGE_ITEMS, "null");
  }
  st_str_addc(&r->out, '}');
}

static void replay_row(replay *r, st_rows *rows) {
  const char *json;
  size_t length;
  for (size_t i = 0; i < sizeof r->row / sizeof *r->row; i++) st_rows_value(r->call, rows, i, &r->row[i]);
  const st_value *role = &r->row[ST_R_CONVERSATION_READ_REPLAY_ROLE];
  st_value content = r->row[ST_R_CONVERSATION_READ_REPLAY_CONTENT];
  bool spoken = is(role, "user") || is(role, "assistant");
  if (spoken && content.type == ST_TEXT && !st_content_json(&content, &json, &length))
    content = said(r->call, &content);
  if (!repeats(r, role, &content)) add_message(r, role, &content);
}

void st_conversation_get_messages_as_conversation(st_call *call) {
  replay r = {.call = call,
              .lineage = st_arg_int(call, ST_P_CONVERSATION_GET_MESSAGES_AS_CONVERSATION_INCLUDE_ANCESTORS) != 0};
  st_value args[ST_P_CONVERSATION_READ_REPLAY_LINEAGE + 1] = {0};
  st_rows rows;
  args[ST_P_CONVERSATION_READ_REPLAY_SESSION_ID] =
      call->args[ST_P_CONVERSATION_GET_MESSAGES_AS_CONVERSATION_SESSION_ID];
  if (r.lineage) args[ST_P_CONVERSATION_READ_REPLAY_LINEAGE] = st_int(1);
  st_str_init(&r.out, ST_TEXT_MAX);
  st_arena_init(&r.scratch, ST_TEXT_MAX);
  st_str_addc(&r.out, '[');
  st_rows_start(call, &rows, STELE_M_CONVERSATION_READ_REPLAY, args);
  while (st_rows_next(call, &rows) && !r.out.failed) replay_row(&r, &rows);
  st_rows_end(call, &rows);
  st_str_addc(&r.out, ']');
  st_arena_free(&r.scratch);
  st_value messages = st_text_take(call, &r.out);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_CONVERSATION_GET_MESSAGES_AS_CONVERSATION_MESSAGES] = messages;
}
