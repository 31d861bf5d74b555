/* text.c - see text.h. */
#include "stores/conversation/text.h"

#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

uint32_t st_text_next(const char **at, const char *end) {
  const unsigned char *byte = (const unsigned char *)*at;
  int size = st_utf8_char(*at, end);
  if (size < 0) {
    *at += -size;
    return 0xFFFD;
  }
  *at += size;
  uint32_t c = size == 1 ? byte[0] : byte[0] & (0x7Fu >> size);
  for (int i = 1; i < size; i++) c = c << 6 | (byte[i] & 0x3Fu);
  return c;
}

bool st_text_space(uint32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

void st_text_strip(const char **text, size_t *length) {
  const char *end = *text + *length, *from = *text, *upto;
  for (const char *at = from; at < end; from = at)
    if (!st_text_space(st_text_next(&at, end))) break;
  upto = from;
  for (const char *at = from; at < end;)
    if (!st_text_space(st_text_next(&at, end))) upto = at;
  *text = from;
  *length = (size_t)(upto - from);
}

bool st_content_json(const st_value *content, const char **json, size_t *length) {
  size_t mark = sizeof ST_CONTENT_MARK - 1;
  if (content->type != ST_TEXT || content->length <= mark) return false;
  if (memcmp(content->bytes, ST_CONTENT_MARK, mark) != 0) return false;
  *json = content->bytes + mark;
  *length = content->length - mark;
  return true;
}

/* Is it JSON?  If there is no memory to tell, out has failed. */
static bool is_json(st_str *out, const char *text, size_t length, st_arena *scratch) {
  st_json_error error;
  bool good = st_json_parse(scratch, text, length, 0, &error) != NULL;
  if (!good && error.nomem) out->failed = true;
  st_arena_reset(scratch);
  return good;
}

void st_content_add(st_str *out, const st_value *content, st_arena *scratch) {
  const char *json;
  size_t length;
  if (content->type != ST_TEXT && content->type != ST_BLOB)
    st_str_addz(out, "null");
  else if (st_content_json(content, &json, &length) && is_json(out, json, length, scratch))
    st_str_add(out, json, length);
  else
    st_json_add_string(out, content->bytes, content->length);
}

void st_json_add_kept(st_str *out, const st_value *kept, const char *otherwise, st_arena *scratch) {
  if (is_json(out, kept->bytes, kept->length, scratch))
    st_str_add(out, kept->bytes, kept->length);
  else
    st_str_addz(out, otherwise);
}

st_value st_text_take(st_call *call, st_str *str) {
  st_value value = {.type = ST_NULL};
  if (str->failed) st_fail(call, STELE_NOMEM, NULL, "the reply does not fit into memory");
  value.bytes = st_call_copy(call, str->text ? str->text : "", str->length);
  if (value.bytes) {
    value.type = ST_TEXT;
    value.length = str->length;
  }
  st_str_free(str);
  return value;
}
