/* titles.c - titles: what is kept of one, whose it is, and the next number in a lineage. */
#include <string.h>

#include "base/number.h"
#include "base/str.h"
#include "registry_ids.h"
#include "stores/conversation/conversation.h"
#include "stores/conversation/text.h"

#define TITLE_MAX 100 /* characters */
#define DIGITS_MAX 15 /* of a number; a longer one is none that a lineage gave */

/* Characters that a title loses: controls but tab and line ends, and what cannot be seen. */
static bool is_dropped(uint32_t c) {
  if (c < 0x80) return c == 0x7F || (c < 0x20 && c != '\t' && c != '\n' && c != '\r');
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x2069) ||
         c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFC);
}

/* The title as it is kept: null if nothing is left of it.  A longer one is cut, or refused. */
static st_value clean(st_call *call, const st_value *title, bool cut) {
  st_value value = {.type = ST_NULL};
  if (title->type != ST_TEXT) return value;
  const char *at = title->bytes, *end = at + title->length;
  char *out = st_call_alloc(call, title->length + 1);
  size_t length = 0, count = 0;
  bool space = false;
  while (out && at < end) {
    const char *from = at;
    uint32_t c = st_text_next(&at, end);
    if (is_dropped(c)) continue;
    if (st_text_space(c)) {
      space = length > 0;
      continue;
    }
    if (cut && count + (space ? 2 : 1) > TITLE_MAX) break;
    count += space ? 2 : 1;
    if (space) out[length++] = ' ';
    space = false;
    memcpy(out + length, from, (size_t)(at - from));
    length += (size_t)(at - from);
  }
  if (count > TITLE_MAX)
    st_fail(call, STELE_INVALID, "title", "title has %zu characters; at most %d are allowed", count, TITLE_MAX);
  if (!st_ok(call) || length == 0) return value;
  return (st_value){.type = ST_TEXT, .bytes = out, .length = length};
}

st_value st_conversation_fit_title(st_call *call, const st_value *title) { return clean(call, title, true); }

void st_conversation_sanitize_title(st_call *call) {
  st_value title = clean(call, &call->args[ST_P_CONVERSATION_SANITIZE_TITLE_TITLE], false);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_CONVERSATION_SANITIZE_TITLE_TITLE] = title;
}

void st_conversation_set_session_title(st_call *call) {
  const st_value *session = &call->args[ST_P_CONVERSATION_SET_SESSION_TITLE_SESSION_ID];
  st_value title = clean(call, &call->args[ST_P_CONVERSATION_SET_SESSION_TITLE_TITLE], false), other;
  if (title.type == ST_TEXT) {
    st_rows rows;
    st_rows_start(call, &rows, STELE_M_CONVERSATION_FIND_TITLE, (const st_value[]){title, *session});
    if (st_rows_next(call, &rows)) {
      st_rows_value(call, &rows, 0, &other);
      st_fail(call, STELE_INVALID, "title", "title is in use by session %.200s", other.bytes);
    }
    st_rows_end(call, &rows);
  }
  int64_t updated = st_run(call, STELE_M_CONVERSATION_WRITE_TITLE, (const st_value[]){*session, title});
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CONVERSATION_SET_SESSION_TITLE_UPDATED] = st_bool(updated > 0);
  reply[ST_R_CONVERSATION_SET_SESSION_TITLE_TITLE] = title;
}

/* The length of a title without " #12" at its end, and that number; without one the whole, and 0. */
static size_t base_length(const char *title, size_t length, int64_t *number) {
  size_t digits = length;
  while (digits > 0 && title[digits - 1] >= '0' && title[digits - 1] <= '9') digits--;
  *number = 0;
  if (digits == length || digits < 2 || title[digits - 1] != '#' || title[digits - 2] != ' ') return length;
  if (length - digits > DIGITS_MAX || !st_parse_int(title + digits, length - digits, number)) *number = 0;
  return digits - 2;
}

/* The highest number in the lineage of a base, 1 for the base itself; 0 if nobody has it. */
static int64_t highest_number(st_call *call, st_value base) {
  st_value args[2] = {base, {.type = ST_TEXT, .length = base.length + 2}}, title;
  char *prefix = st_call_alloc(call, base.length + 3);
  int64_t highest = 0, number;
  st_rows rows;
  if (!prefix) return 0;
  for (size_t i = 0; i < base.length; i++) {
    char c = base.bytes[i];
    prefix[i] = c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
  }
  memcpy(prefix + base.length, " #", 3);
  args[1].bytes = prefix;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_LIST_TITLES, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, 0, &title);
    base_length(title.bytes, title.length, &number);
    if (highest == 0) highest = 1;
    if (number > highest) highest = number;
  }
  st_rows_end(call, &rows);
  return highest;
}

const char *st_conversation_next_title(st_call *call, const char *title, size_t length) {
  int64_t number;
  char *base = st_call_copy(call, title, base_length(title, length, &number));
  if (!base) return NULL;
  number = highest_number(call, st_textz(base));
  if (number == 0) return base;
  st_str next;
  st_str_init(&next, length + 40);
  st_str_addf(&next, "%s #%lld", base, (long long)number + 1);
  return st_text_take(call, &next).bytes;
}

void st_conversation_get_next_title_in_lineage(st_call *call) {
  const st_value *base = &call->args[ST_P_CONVERSATION_GET_NEXT_TITLE_IN_LINEAGE_BASE_TITLE];
  const char *title = st_conversation_next_title(call, base->bytes, base->length);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_CONVERSATION_GET_NEXT_TITLE_IN_LINEAGE_TITLE] = st_textz(title);
}
