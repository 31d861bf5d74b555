/* contains.c - see contains.h.  The text is folded character by character and goes through the automaton of
** Knuth, Morris and Pratt. */
#include "search/contains.h"

#include <utf8proc.h>

#include "base/chars.h"
#include "base/str.h"

#define PARTS_MAX 4                /* characters that one becomes; 3 are the most in Unicode 15 */
#define FOLDED_MAX (4 * PARTS_MAX) /* in bytes */

/* The folded form of the character at *at, which is stepped over; its length.  Bytes that are no character become
** U+FFFD. */
static size_t fold_next(const char **at, const char *end, char out[FOLDED_MAX]) {
  int size, boundclass = 0;
  int32_t part[PARTS_MAX], c = st_char_read(*at, end, &size);
  size_t length = 0;
  *at += size;
  if (c >= 0 && c < 0x80) {
    out[0] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    return 1;
  }
  if (c < 0) return st_char_write(0xFFFD, out);
  utf8proc_ssize_t count = utf8proc_decompose_char(c, part, PARTS_MAX, UTF8PROC_CASEFOLD, &boundclass);
  for (utf8proc_ssize_t i = 0; i < count && i < PARTS_MAX; i++) length += st_char_write(part[i], out + length);
  return length;
}

/* How many bytes of the needle are matched once c follows `matched` of them. */
static size_t step(const st_needle *needle, size_t matched, char c) {
  while (matched && needle->folded[matched] != c) matched = needle->shorter[matched - 1];
  return matched + (needle->folded[matched] == c);
}

bool st_needle_make(st_needle *needle, st_arena *arena, const char *text, size_t length) {
  const char *at = text, *end = text + length;
  char folded[FOLDED_MAX];
  st_str out;
  st_str_init(&out, length * FOLDED_MAX);
  while (at < end) st_str_add(&out, folded, fold_next(&at, end, folded));
  size_t *shorter = out.failed ? NULL : st_arena_zero(arena, out.length * sizeof *shorter);
  needle->folded = shorter ? st_arena_copy(arena, out.text, out.length) : NULL;
  needle->length = out.length;
  needle->shorter = shorter;
  st_str_free(&out);
  if (!needle->folded) return false;
  for (size_t i = 1; i < needle->length; i++) shorter[i] = step(needle, shorter[i - 1], needle->folded[i]);
  return true;
}

bool st_contains(const char *text, size_t length, const st_needle *needle) {
  const char *at = text, *end = text + length;
  char folded[FOLDED_MAX];
  size_t matched = 0;
  while (at < end) {
    size_t count = fold_next(&at, end, folded);
    for (size_t i = 0; i < count; i++) {
      matched = step(needle, matched, folded[i]);
      if (matched == needle->length) return true;
    }
  }
  return false;
}
