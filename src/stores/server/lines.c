/* lines.c - see lines.h. */
#include "stores/server/lines.h"

#include <inttypes.h>
#include <string.h>

/* The lines of a text; a line end at its end begins no further line. */
int64_t st_lines_count(const char *text, size_t length) {
  int64_t lines = 0;
  for (const char *at = text, *end = text + length; at < end; lines++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    at = stop ? stop + 1 : end;
  }
  return lines;
}

/* Where the line of that number (from 1) begins; the end if there are fewer. */
const char *st_lines_at(const char *text, size_t length, int64_t number) {
  const char *at = text, *end = text + length;
  for (; number > 1 && at < end; number--) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    at = stop ? stop + 1 : end;
  }
  return at;
}

void st_lines_put(st_str *out, const char *text, size_t length, int64_t from, int64_t to) {
  const char *at = st_lines_at(text, length, from), *end = text + length;
  for (int64_t number = from; number <= to && at < end; number++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t size = (size_t)((stop ? stop : end) - at);
    st_str_addf(out, "%s%6" PRId64 "\t", number == from ? "" : "\n", number);
    st_str_add(out, at, size);
    at += size + (stop ? 1 : 0);
  }
}
