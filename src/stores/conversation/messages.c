/* messages.c - messages in lists: a session's neighbourhoods read, its last message taken back, all of its messages
** replaced. */
#include <string.h>

#include "base/json.h"
#include "base/time.h"
#include "engine/reply.h"
#include "registry_ids.h"
#include "stores/conversation/conversation.h"
#include "stores/conversation/text.h"

/* ---- Neighbourhoods ------------------------------------------------------------------------- */

enum {
  COLUMNS = ST_R_CONVERSATION_READ_PART_CODEX_MESSAGE_ITEMS + 1,
  FILTERS = ST_P_CONVERSATION_READ_PART_LIMIT + 1
};

typedef struct line line;
struct line {
  line *next;
  st_value values[COLUMNS];
};

/* Messages in their order. */
typedef struct part {
  line *first, *last;
  int64_t count;
} part;

static int64_t id_of(const line *l) { return l->values[ST_R_CONVERSATION_READ_PART_ID].integer; }

static void add_line(part *to, line *l, bool in_front) {
  to->count++;
  if (in_front) l->next = to->first;
  if (in_front || !to->first) to->first = l;
  if (!in_front && to->last) to->last->next = l;
  if (!in_front || !to->last) to->last = l;
}

/* Read messages by read_part's filters; its limit is not negative. */
static part read_part(st_call *call, const st_value filters[FILTERS]) {
  bool backwards = filters[ST_P_CONVERSATION_READ_PART_BACKWARDS].type != ST_ABSENT;
  part found = {0};
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_READ_PART, filters);
  while (st_rows_next(call, &rows)) {
    line *l = st_call_alloc(call, sizeof *l);
    if (!l) break;
    st_rows_keep(call, &rows, l->values);
    add_line(&found, l, backwards);
  }
  st_rows_end(call, &rows);
  return found;
}

/* A message and up to `window` on each side. */
typedef struct around {
  part before;
  part from; /* the message itself and what comes after it; empty if it is not of the session */
} around;

static int64_t not_negative(int64_t number) { return number < 0 ? 0 : number; }

static around read_around(st_call *call, const st_value *session, int64_t message, int64_t window) {
  around found = {{0}, {0}};
  st_value filters[FILTERS] = {0};
  window = not_negative(window);
  filters[ST_P_CONVERSATION_READ_PART_SESSION_ID] = *session;
  filters[ST_P_CONVERSATION_READ_PART_AFTER] = st_int(message - 1);
  filters[ST_P_CONVERSATION_READ_PART_LIMIT] = st_int(window == INT64_MAX ? window : window + 1);
  found.from = read_part(call, filters);
  if (!found.from.first || id_of(found.from.first) != message) return (around){{0}, {0}};
  filters[ST_P_CONVERSATION_READ_PART_AFTER].type = ST_ABSENT;
  filters[ST_P_CONVERSATION_READ_PART_BEFORE] = st_int(message);
  filters[ST_P_CONVERSATION_READ_PART_BACKWARDS] = st_int(1);
  filters[ST_P_CONVERSATION_READ_PART_LIMIT] = st_int(window);
  found.before = read_part(call, filters);
  return found;
}

/* Is a role among those to keep?  roles is no list: every one is. */
static bool keeps(const st_value *roles, const line *l) {
  const st_value *role = &l->values[ST_R_CONVERSATION_READ_PART_ROLE];
  if (roles->type != ST_LIST) return true;
  for (uint32_t i = 0; i < roles->count; i++)
    if (roles->items[i].length == role->length && memcmp(roles->items[i].bytes, role->bytes, role->length) == 0)
      return true;
  return false;
}

/* Append messages to a JSON array; anchor, when not 0, is kept whatever its role. */
static void add_lines(st_str *out, const part *lines, const st_value *roles, int64_t anchor, st_arena *scratch) {
  const st_method *method = &st_registry.methods[STELE_M_CONVERSATION_READ_PART];
  for (const line *l = lines->first; l; l = l->next) {
    if (id_of(l) != anchor && !keeps(roles, l)) continue;
    if (out->text[out->length - 1] != '[') st_str_addc(out, ',');
    st_reply_row(out, method, l->values, scratch);
    st_arena_reset(scratch);
  }
}

static st_value json_of(st_call *call, const part *first, const part *second, const st_value *roles, int64_t anchor) {
  st_arena scratch;
  st_str out;
  if (!st_ok(call)) return (st_value){.type = ST_NULL}; /* a message may be incomplete */
  st_str_init(&out, ST_TEXT_MAX);
  st_arena_init(&scratch, ST_TEXT_MAX);
  st_str_addc(&out, '[');
  if (!out.failed) add_lines(&out, first, roles, anchor, &scratch);
  if (!out.failed) add_lines(&out, second, roles, anchor, &scratch);
  st_str_addc(&out, ']');
  st_arena_free(&scratch);
  return st_text_take(call, &out);
}

void st_conversation_get_messages_around(st_call *call) {
  const st_value everybody = {.type = ST_NULL};
  around found = read_around(call, &call->args[ST_P_CONVERSATION_GET_MESSAGES_AROUND_SESSION_ID],
                             st_arg_int(call, ST_P_CONVERSATION_GET_MESSAGES_AROUND_AROUND_MESSAGE_ID),
                             st_arg_int(call, ST_P_CONVERSATION_GET_MESSAGES_AROUND_WINDOW));
  st_value window = json_of(call, &found.before, &found.from, &everybody, 0);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CONVERSATION_GET_MESSAGES_AROUND_WINDOW] = window;
  reply[ST_R_CONVERSATION_GET_MESSAGES_AROUND_MESSAGES_BEFORE] = st_int(found.before.count);
  reply[ST_R_CONVERSATION_GET_MESSAGES_AROUND_MESSAGES_AFTER] = st_int(not_negative(found.from.count - 1));
}

/* The first messages before an id, or the last ones after it. */
static part read_bookend(st_call *call, int64_t id, bool at_end) {
  const st_value *roles = &call->args[ST_P_CONVERSATION_GET_ANCHORED_VIEW_KEEP_ROLES];
  st_value filters[FILTERS] = {0};
  filters[ST_P_CONVERSATION_READ_PART_SESSION_ID] = call->args[ST_P_CONVERSATION_GET_ANCHORED_VIEW_SESSION_ID];
  filters[at_end ? ST_P_CONVERSATION_READ_PART_AFTER : ST_P_CONVERSATION_READ_PART_BEFORE] = st_int(id);
  if (at_end) filters[ST_P_CONVERSATION_READ_PART_BACKWARDS] = st_int(1);
  if (roles->type == ST_LIST) filters[ST_P_CONVERSATION_READ_PART_ROLES] = *roles;
  filters[ST_P_CONVERSATION_READ_PART_SPOKEN] = st_int(1);
  filters[ST_P_CONVERSATION_READ_PART_LIMIT] =
      st_int(not_negative(st_arg_int(call, ST_P_CONVERSATION_GET_ANCHORED_VIEW_BOOKEND)));
  return read_part(call, filters);
}

void st_conversation_get_anchored_view(st_call *call) {
  const st_value everybody = {.type = ST_NULL};
  const st_value *roles = &call->args[ST_P_CONVERSATION_GET_ANCHORED_VIEW_KEEP_ROLES];
  int64_t anchor = st_arg_int(call, ST_P_CONVERSATION_GET_ANCHORED_VIEW_AROUND_MESSAGE_ID);
  around found = read_around(call, &call->args[ST_P_CONVERSATION_GET_ANCHORED_VIEW_SESSION_ID], anchor,
                             st_arg_int(call, ST_P_CONVERSATION_GET_ANCHORED_VIEW_WINDOW));
  part start = {0}, end = {0}, nothing = {0};
  if (found.from.first) {
    start = read_bookend(call, id_of(found.before.first ? found.before.first : found.from.first), false);
    end = read_bookend(call, id_of(found.from.last), true);
  }
  st_value window = json_of(call, &found.before, &found.from, roles, anchor);
  st_value first = json_of(call, &start, &nothing, &everybody, 0), last = json_of(call, &end, &nothing, &everybody, 0);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CONVERSATION_GET_ANCHORED_VIEW_WINDOW] = window;
  reply[ST_R_CONVERSATION_GET_ANCHORED_VIEW_MESSAGES_BEFORE] = st_int(found.before.count);
  reply[ST_R_CONVERSATION_GET_ANCHORED_VIEW_MESSAGES_AFTER] = st_int(not_negative(found.from.count - 1));
  reply[ST_R_CONVERSATION_GET_ANCHORED_VIEW_BOOKEND_START] = first;
  reply[ST_R_CONVERSATION_GET_ANCHORED_VIEW_BOOKEND_END] = last;
}

/* ---- Writing -------------------------------------------------------------------------------- */

enum { FIELDS = ST_P_CONVERSATION_PUT_MESSAGE_CODEX_MESSAGE_ITEMS + 1 };

/* The calls in tool_calls: as many as the list is long; anything else but null is one. */
static int64_t count_calls(st_call *call, const st_value *calls) {
  st_json_error error;
  st_arena scratch;
  int64_t count = 0;
  if (calls->type != ST_TEXT || !st_ok(call)) return 0;
  st_arena_init(&scratch, ST_TEXT_MAX);
  const st_json *json = st_json_parse(&scratch, calls->bytes, calls->length, 0, &error);
  if (!json) st_fail(call, STELE_NOMEM, NULL, "out of memory"); /* it was JSON when it came */
  if (json && json->type != ST_JSON_NULL) count = json->type == ST_JSON_ARRAY ? (int64_t)json->length : 1;
  st_arena_free(&scratch);
  return count;
}

int64_t st_conversation_put(st_call *call, const st_value *message, const st_value *session, double now, bool id) {
  st_value values[FIELDS];
  memcpy(values, message, sizeof values);
  values[ST_P_CONVERSATION_PUT_MESSAGE_SESSION_ID] = *session;
  if (!id) values[ST_P_CONVERSATION_PUT_MESSAGE_ID].type = ST_ABSENT;
  if (values[ST_P_CONVERSATION_PUT_MESSAGE_TIMESTAMP].type == ST_ABSENT)
    values[ST_P_CONVERSATION_PUT_MESSAGE_TIMESTAMP] = st_real(now);
  st_post(call, STELE_M_CONVERSATION_PUT_MESSAGE, values);
  return count_calls(call, &values[ST_P_CONVERSATION_PUT_MESSAGE_TOOL_CALLS]);
}

/* Of others than assistants, reasoning and codex items are not kept. */
static void drop_reasoning(st_value *message) {
  static const char assistant[] = "assistant";
  const st_value *role = &message[ST_P_CONVERSATION_PUT_MESSAGE_ROLE];
  if (role->length == sizeof assistant - 1 && memcmp(role->bytes, assistant, role->length) == 0) return;
  for (int i = ST_P_CONVERSATION_PUT_MESSAGE_REASONING; i < FIELDS; i++) message[i].type = ST_NULL;
}

void st_conversation_replace_messages(st_call *call) {
  const st_value *session = &call->args[ST_P_CONVERSATION_REPLACE_MESSAGES_SESSION_ID];
  const st_value *messages = &call->args[ST_P_CONVERSATION_REPLACE_MESSAGES_MESSAGES];
  st_micros now = st_time_now();
  int64_t calls = 0;
  st_run(call, STELE_M_CONVERSATION_CLEAR_MESSAGES, session);
  int64_t known = st_run(call, STELE_M_CONVERSATION_WRITE_COUNTERS,
                         (const st_value[]){*session, st_int(messages->count), st_int(0)});
  if (known == 0 && messages->count > 0)
    st_fail(call, STELE_NOTFOUND, "session_id", "session_id %.100s does not exist", session->bytes);
  for (uint32_t i = 0; i < messages->count && st_ok(call); i++) {
    st_value message[FIELDS];
    memcpy(message, messages->items + (size_t)i * messages->width, sizeof message);
    drop_reasoning(message);
    calls += st_conversation_put(call, message, session, (double)(now + i) / 1e6, false);
  }
  if (calls > 0)
    st_run(call, STELE_M_CONVERSATION_WRITE_COUNTERS,
           (const st_value[]){*session, st_int(messages->count), st_int(calls)});
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_CONVERSATION_REPLACE_MESSAGES_COUNT] = st_int(messages->count);
}

void st_conversation_pop_message(st_call *call) {
  const st_value *session = &call->args[ST_P_CONVERSATION_POP_MESSAGE_SESSION_ID];
  st_value filters[FILTERS] = {0}, message[COLUMNS];
  filters[ST_P_CONVERSATION_READ_PART_SESSION_ID] = *session;
  filters[ST_P_CONVERSATION_READ_PART_BACKWARDS] = st_int(1);
  filters[ST_P_CONVERSATION_READ_PART_LIMIT] = st_int(1);
  if (!st_one(call, STELE_M_CONVERSATION_READ_PART, filters, message)) return;
  int64_t calls = count_calls(call, &message[ST_R_CONVERSATION_READ_PART_TOOL_CALLS]);
  st_run(call, STELE_M_CONVERSATION_REMOVE_MESSAGE,
         (const st_value[]){message[ST_R_CONVERSATION_READ_PART_ID], *session, st_int(calls)});
  st_value *reply = st_reply(call);
  if (reply) memcpy(reply, message, sizeof message);
}
