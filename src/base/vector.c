/* vector.c - see vector.h. */
#include "base/vector.h"

#include <float.h>
#include <math.h>

#include "base/number.h"

void st_vector_read(const char *bytes, size_t count, float *out) {
  for (size_t i = 0; i < count; i++) out[i] = st_vector_get(bytes + i * ST_VECTOR_BYTES);
}

static const char *skip(const char *at, const char *end, const char *these) {
  while (at < end && *at && strchr(these, *at)) at++;
  return at;
}

static const char *skip_space(const char *at, const char *end) { return skip(at, end, " \t\r\n"); }

/* One number and the white space around it; NULL: there is none. */
static const char *parse_number(const char *at, const char *end, float *out) {
  double number;
  at = skip_space(at, end);
  const char *after = skip(at, end, "+-.0123456789eE");
  if (!st_parse_real(at, (size_t)(after - at), &number) || fabs(number) > FLT_MAX) return NULL;
  *out = (float)number;
  return skip_space(after, end);
}

size_t st_vector_parse(const char *text, size_t length, float *out) {
  const char *end = text + length, *at = skip_space(text, end);
  size_t count = 0;
  if (at == end || *at != '[') return 0;
  do {
    if (count == ST_VECTOR_MAX) return 0;
    at = parse_number(at + 1, end, &out[count++]);
    if (!at || at == end) return 0;
  } while (*at == ',');
  return *at == ']' && skip_space(at + 1, end) == end ? count : 0;
}

void st_vector_add(st_str *out, const char *bytes, size_t count) {
  char digits[ST_REAL_MAX];
  st_str_addc(out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i) st_str_addc(out, ',');
    st_str_add(out, digits, st_format_single(st_vector_get(bytes + i * ST_VECTOR_BYTES), digits));
  }
  st_str_addc(out, ']');
}
