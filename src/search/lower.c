/* lower.c - small letters, by utf8proc. */
#include "search/lower.h"

#include <stdint.h>

#include <utf8proc.h>

#include "base/utf8.h"
#include "search/chars.h"

void st_lower(st_str *out, const char *text, size_t length) {
  const char *end = text + length;
  for (int size; text < end; text += size) {
    char small[4];
    int32_t c = st_char_read(text, end, &size);
    if (c < 0)
      st_str_addz(out, ST_UTF8_REPLACEMENT);
    else
      st_str_add(out, small, st_char_write(utf8proc_tolower(c), small));
  }
}
