/* lower.c - see lower.h.  Character by character, with the two exceptions that Unicode makes in every language. */
#include "search/lower.h"

#include <utf8proc.h>

#include "base/chars.h"

enum { CAPITAL_I_WITH_DOT = 0x130, CAPITAL_SIGMA = 0x3A3, FINAL_SIGMA = 0x3C2 };

static bool is_cased(int32_t c) {
  utf8proc_category_t category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL || category == UTF8PROC_CATEGORY_LT;
}

/* Does a word go on here?  Marks belong to the letter before them. */
static bool goes_on(const char *at, const char *end) {
  while (at < end) {
    int size;
    int32_t c = st_char_read(at, end, &size);
    if (c < 0 || st_char_kind_of(c) != ST_CHAR_MARK) return c >= 0 && is_cased(c);
    at += size;
  }
  return false;
}

static void add_char(st_str *out, int32_t c) {
  char bytes[4];
  st_str_add(out, bytes, st_char_write(c, bytes));
}

void st_lower(st_str *out, const char *text, size_t length) {
  const char *at = text, *end = text + length;
  bool in_word = false;
  while (at < end) {
    int size;
    int32_t c = st_char_read(at, end, &size);
    if (c < 0)
      st_str_add(out, at, (size_t)size);
    else if (c == CAPITAL_I_WITH_DOT)
      st_str_addz(out, "i\u0307");
    else if (c == CAPITAL_SIGMA && in_word && !goes_on(at + size, end))
      add_char(out, FINAL_SIGMA);
    else
      add_char(out, utf8proc_tolower(c));
    if (c < 0 || st_char_kind_of(c) != ST_CHAR_MARK) in_word = c >= 0 && is_cased(c);
    at += size;
  }
}
