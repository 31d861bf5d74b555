/* plain.c - a text that is to be told from others by its words alone. */
#include "base/chars.h"
#include "search/lower.h"
#include "stores/assistant/assistant.h"

#define GROWTH 2 /* a character in lower case takes at most so many times its bytes */

/* The words of a text with single spaces between them; how many characters that is. */
static size_t add_words(st_str *out, const st_value *text) {
  const char *at = text->bytes, *end = at + text->length;
  size_t characters = 0;
  bool space = false;
  for (int size; at < end; at += size) {
    int32_t c = st_char_read(at, end, &size);
    if (c >= 0 && st_char_kind_of(c) == ST_CHAR_SPACE) {
      space = characters > 0;
      continue;
    }
    if (space) st_str_addc(out, ' ');
    st_str_add(out, at, (size_t)size);
    characters += 1 + space;
    space = false;
  }
  return characters;
}

st_value st_assistant_plain(st_call *call, const char *field, const st_value *text, size_t most) {
  st_str words, lower;
  st_str_init(&words, text->length);
  st_str_init(&lower, text->length * GROWTH);
  size_t characters = add_words(&words, text);
  if (characters == 0) st_fail(call, STELE_INVALID, field, "%s must not be empty", field);
  if (characters > most)
    st_fail(call, STELE_INVALID, field, "%s has %zu characters, and at most %zu are kept: say it shorter", field,
            characters, most);
  if (st_ok(call)) st_lower(&lower, words.text, words.length);
  if (words.failed) lower.failed = true;
  st_str_free(&words);
  return st_take(call, &lower);
}
