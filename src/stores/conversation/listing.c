/* listing.c - lists of sessions with previews. */
#include <string.h>

#include "base/json.h"
#include "registry_ids.h"
#include "stores/conversation/conversation.h"
#include "stores/conversation/text.h"

#define LOOKED_AT 63 /* characters of a message that a preview is made of */
#define PREVIEW 60   /* characters of a preview, before the dots */

/* Append the text in a content's JSON: of a list of parts those of type text, with a space between. */
static void add_parts(st_str *out, const st_json *json) {
  if (json->type == ST_JSON_STRING) st_str_add(out, json->text, json->length);
  if (json->type != ST_JSON_ARRAY) return;
  for (const st_json *part = json->first; part && out->length < 4 * LOOKED_AT; part = part->next) {
    const st_json *type = st_json_get(part, "type"), *text = part;
    if (part->type == ST_JSON_OBJECT) text = type && type->type == ST_JSON_STRING ? st_json_get(part, "text") : NULL;
    if (!text || text->type != ST_JSON_STRING || (text != part && strcmp(type->text, "text") != 0)) continue;
    if (out->length > 0) st_str_addc(out, ' ');
    st_str_add(out, text->text, text->length);
  }
}

/* The text of a message for a preview: itself, or the text in its parts. */
static st_value text_of(st_call *call, const st_value *content) {
  const char *json;
  size_t length;
  st_json_error error;
  st_arena scratch;
  st_str out;
  if (!st_content_json(content, &json, &length)) return *content;
  st_arena_init(&scratch, ST_TEXT_MAX);
  st_str_init(&out, ST_TEXT_MAX);
  const st_json *parsed = st_json_parse(&scratch, json, length, 0, &error);
  if (parsed) add_parts(&out, parsed);
  if (!parsed && error.nomem) out.failed = true;
  if (!out.failed && out.length == 0) st_str_addz(&out, "[multimodal content]");
  st_arena_free(&scratch);
  return st_text_take(call, &out);
}

/* One line of at most 60 characters, and dots if there is more. */
static st_value preview(st_call *call, const st_value *content) {
  if (content->type != ST_TEXT) return st_textz("");
  st_value text = text_of(call, content);
  if (text.type != ST_TEXT) return text;
  const char *at = text.bytes, *end = at + text.length;
  for (int i = 0; i < LOOKED_AT && at < end; i++) st_text_next(&at, end);
  size_t length = (size_t)(at - text.bytes);
  char *line = st_call_alloc(call, length + sizeof "...");
  if (!line) return st_textz("");
  for (size_t i = 0; i < length; i++) line[i] = text.bytes[i] == '\n' || text.bytes[i] == '\r' ? ' ' : text.bytes[i];
  const char *stripped = line;
  st_text_strip(&stripped, &length);
  at = stripped, end = stripped + length;
  for (int i = 0; i < PREVIEW && at < end; i++) st_text_next(&at, end);
  if (at < end) {
    length = (size_t)(at - stripped);
    memcpy(line + (stripped - line) + length, "...", 3);
    length += 3;
  }
  return (st_value){.type = ST_TEXT, .bytes = stripped, .length = length};
}

_Static_assert((int)ST_R_CONVERSATION_READ_LIST_LINEAGE_ROOT_ID == (int)ST_R_CONVERSATION_LIST_SESSIONS_RICH_LINEAGE_ROOT_ID,
               "same results, same order");
_Static_assert((int)ST_R_CONVERSATION_READ_SESSIONS_COST_USD == (int)ST_R_CONVERSATION_FIND_SESSIONS_COST_USD,
               "same results, same order");

/* Reply the sessions that a method reads, with a preview of the message in one of its columns. */
static void reply_sessions(st_call *call, int method, const st_value *args, size_t previewed) {
  st_rows rows;
  st_rows_start(call, &rows, method, args);
  while (st_rows_next(call, &rows)) {
    st_value *reply = st_reply_read(call, &rows, previewed), content;
    st_rows_value(call, &rows, previewed, &content);
    if (reply) reply[previewed] = preview(call, &content);
  }
  st_rows_end(call, &rows);
}

void st_conversation_list_sessions_rich(st_call *call) {
  const st_value *sent = call->args;
  bool children = sent[ST_P_CONVERSATION_LIST_SESSIONS_RICH_INCLUDE_CHILDREN].integer;
  bool tips = sent[ST_P_CONVERSATION_LIST_SESSIONS_RICH_PROJECT_COMPRESSION_TIPS].integer && !children;
  bool active = sent[ST_P_CONVERSATION_LIST_SESSIONS_RICH_ORDER_BY_LAST_ACTIVE].integer;
  bool archived = sent[ST_P_CONVERSATION_LIST_SESSIONS_RICH_INCLUDE_ARCHIVED].integer;
  st_value args[ST_P_CONVERSATION_READ_LIST_OFFSET + 1] = {0};
  args[ST_P_CONVERSATION_READ_LIST_SOURCE] = sent[ST_P_CONVERSATION_LIST_SESSIONS_RICH_SOURCE];
  args[ST_P_CONVERSATION_READ_LIST_EXCLUDE_SOURCES] = sent[ST_P_CONVERSATION_LIST_SESSIONS_RICH_EXCLUDE_SOURCES];
  args[ST_P_CONVERSATION_READ_LIST_FIRST] = active ? st_int(-1) : sent[ST_P_CONVERSATION_LIST_SESSIONS_RICH_LIMIT];
  args[ST_P_CONVERSATION_READ_LIST_SKIP] = active ? st_int(0) : sent[ST_P_CONVERSATION_LIST_SESSIONS_RICH_OFFSET];
  args[ST_P_CONVERSATION_READ_LIST_LIMIT] = active ? sent[ST_P_CONVERSATION_LIST_SESSIONS_RICH_LIMIT] : st_int(-1);
  args[ST_P_CONVERSATION_READ_LIST_OFFSET] = active ? sent[ST_P_CONVERSATION_LIST_SESSIONS_RICH_OFFSET] : st_int(0);
  if (!children) args[ST_P_CONVERSATION_READ_LIST_ROOTS] = st_int(1);
  if (!archived) args[ST_P_CONVERSATION_READ_LIST_SHOWN] = st_int(1);
  args[active ? ST_P_CONVERSATION_READ_LIST_BY_ACTIVITY : ST_P_CONVERSATION_READ_LIST_BY_START] = st_int(1);
  if (tips) args[ST_P_CONVERSATION_READ_LIST_TIP] = st_int(1);
  reply_sessions(call, STELE_M_CONVERSATION_READ_LIST, args, ST_R_CONVERSATION_READ_LIST_PREVIEW);
}

void st_conversation_find_sessions(st_call *call) {
  const st_value *sent = call->args, *sort = &sent[ST_P_CONVERSATION_FIND_SESSIONS_SORT];
  st_value args[ST_P_CONVERSATION_READ_SESSIONS_OFFSET + 1] = {0};
  args[ST_P_CONVERSATION_READ_SESSIONS_TEXT] = sent[ST_P_CONVERSATION_FIND_SESSIONS_TEXT];
  args[ST_P_CONVERSATION_READ_SESSIONS_SOURCE_FILTER] = sent[ST_P_CONVERSATION_FIND_SESSIONS_SOURCE_FILTER];
  args[ST_P_CONVERSATION_READ_SESSIONS_PROJECT_FILTER] = sent[ST_P_CONVERSATION_FIND_SESSIONS_PROJECT_FILTER];
  args[ST_P_CONVERSATION_READ_SESSIONS_SINCE] = sent[ST_P_CONVERSATION_FIND_SESSIONS_SINCE];
  args[ST_P_CONVERSATION_READ_SESSIONS_UNTIL] = sent[ST_P_CONVERSATION_FIND_SESSIONS_UNTIL];
  if (!sent[ST_P_CONVERSATION_FIND_SESSIONS_SUBAGENTS].integer) args[ST_P_CONVERSATION_READ_SESSIONS_MAIN] = st_int(1);
  if (strcmp(sort->bytes, "active") == 0)
    args[ST_P_CONVERSATION_READ_SESSIONS_BY_ACTIVITY] = st_int(1);
  else if (strcmp(sort->bytes, "started") != 0)
    args[ST_P_CONVERSATION_READ_SESSIONS_BY_AMOUNT] = *sort;
  args[ST_P_CONVERSATION_READ_SESSIONS_LIMIT] = sent[ST_P_CONVERSATION_FIND_SESSIONS_LIMIT];
  args[ST_P_CONVERSATION_READ_SESSIONS_OFFSET] = sent[ST_P_CONVERSATION_FIND_SESSIONS_OFFSET];
  reply_sessions(call, STELE_M_CONVERSATION_READ_SESSIONS, args, ST_R_CONVERSATION_READ_SESSIONS_PREVIEW);
}
