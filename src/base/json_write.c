/* json_write.c - the JSON writer: what it writes, the strict reader takes. */
#include <math.h>

#include "base/json.h"
#include "base/json_scan.h"
#include "base/number.h"
#include "base/utf8.h"

static void add_escaped(st_str *out, char c) {
  static const char hex[] = "0123456789abcdef";
  switch (c) {
    case '"': st_str_add(out, "\\\"", 2); break;
    case '\\': st_str_add(out, "\\\\", 2); break;
    case '\b': st_str_add(out, "\\b", 2); break;
    case '\f': st_str_add(out, "\\f", 2); break;
    case '\n': st_str_add(out, "\\n", 2); break;
    case '\r': st_str_add(out, "\\r", 2); break;
    case '\t': st_str_add(out, "\\t", 2); break;
    default: {
      char unit[] = {'\\', 'u', '0', '0', hex[(c >> 4) & 15], hex[c & 15]};
      st_str_add(out, unit, sizeof unit);
    }
  }
}

/* All characters from `at` on that are not ASCII; returns where it stopped. */
static const char *add_utf8(st_str *out, const char *at, const char *end) {
  int bad;
  const char *stop = st_utf8_run(at, end, &bad);
  st_str_add(out, at, (size_t)(stop - at));
  if (bad) st_str_add(out, ST_UTF8_REPLACEMENT, ST_UTF8_REPLACEMENT_SIZE);
  return stop + bad;
}

void st_json_add_string(st_str *out, const char *text, size_t length) {
  if (length == 0) text = ""; /* which may have been NULL */
  const char *at = text;
  const char *end = text + length;
  st_str_addc(out, '"');
  while (at < end && !out->failed) {
    const char *run = at;
    at = st_json_plain(run, end);
    st_str_add(out, run, (size_t)(at - run));
    if (at == end) break;
    if ((unsigned char)*at >= 0x80) at = add_utf8(out, at, end);
    else add_escaped(out, *at++);
  }
  st_str_addc(out, '"');
}

void st_json_add_real(st_str *out, double value) {
  char text[ST_REAL_MAX];
  if (isfinite(value)) st_str_add(out, text, st_format_real(value, text));
  else st_str_add(out, "null", 4);
}

void st_json_add_int(st_str *out, int64_t value) {
  char text[20]; /* the longest is -9223372036854775808 */
  char *at = text + sizeof text;
  /* Unsigned, where the smallest of all has a negative. */
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do {
    *--at = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest);
  if (value < 0) *--at = '-';
  st_str_add(out, at, (size_t)(text + sizeof text - at));
}
