/* fold.c - folding by utf8proc, one character at a time.  No memory is allocated. */
#include "base/fold.h"

#include <stdbool.h>

#include <utf8proc.h>

#include "base/chars.h"
#include "base/utf8.h"

#define DOTLESS_I 0x131
#define NONE UINT16_MAX /* in utf8proc's tables */
#define PARTS_MAX 8     /* characters in one decomposition; 4 are the most in Unicode 15 */

/* The character of ordinary width. */
static int32_t widen(int32_t c) {
  if (c < 0xFF01 || c > 0xFFDC) return c;
  if (c <= 0xFF5E) return c - 0xFF01 + '!';
  int32_t part[PARTS_MAX];
  int boundclass = 0;
  utf8proc_ssize_t count =
      utf8proc_decompose_char(c, part, PARTS_MAX, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, &boundclass);
  return count == 1 ? part[0] : c;
}

static int32_t read_wide(const char *at, const char *end, int *size) {
  return widen(st_char_read(at, end, size));
}

/* May something behind c be one character with it? */
static bool may_join(int32_t c) {
  return (c >= 0x3046 && c <= 0x30FD) || (c >= 0x1100 && c <= 0x1112) || (c >= 0xAC00 && c <= 0xD7A3);
}

static bool is_joined(int32_t c) {
  return c == 0x3099 || c == 0x309A || (c >= 0x1161 && c <= 0x1175) || (c >= 0x11A8 && c <= 0x11C2);
}

int32_t st_fold_read(const char *at, const char *end, int *size) {
  int32_t c = read_wide(at, end, size);
  while (may_join(c) && at + *size < end) {
    int more;
    int32_t pair[2] = {c, read_wide(at + *size, end, &more)};
    if (!is_joined(pair[1])) break;
    if (utf8proc_normalize_utf32(pair, 2, UTF8PROC_STABLE | UTF8PROC_COMPOSE) != 1) break;
    c = pair[0];
    *size += more;
  }
  return c;
}

/* Write one part of a decomposed character, in folded case. */
static size_t fold_part(int32_t c, int options, char *out) {
  int32_t part[PARTS_MAX];
  int boundclass = 0;
  utf8proc_ssize_t count = utf8proc_decompose_char(c, part, PARTS_MAX, options | UTF8PROC_CASEFOLD, &boundclass);
  size_t length = 0;
  for (utf8proc_ssize_t i = 0; i < count && i < PARTS_MAX && length + 4 <= ST_FOLD_MAX; i++)
    if (!st_char_is_diacritic(part[i])) length += st_char_write(part[i], out + length);
  return length;
}

/* Take c apart and write its parts.  Diacritics go before case is folded: one of them, the iota
** below Greek vowels, would become a letter. */
static size_t fold_parts(int32_t c, int options, char *out) {
  int32_t part[PARTS_MAX];
  int boundclass = 0;
  char folded[ST_FOLD_MAX];
  utf8proc_ssize_t count = utf8proc_decompose_char(c, part, PARTS_MAX, options, &boundclass);
  size_t length = 0;
  for (utf8proc_ssize_t i = 0; i < count && i < PARTS_MAX; i++) {
    if (st_char_is_diacritic(part[i])) continue;
    size_t more = fold_part(part[i], options, folded);
    if (length + more > ST_FOLD_MAX) break;
    for (size_t k = 0; k < more; k++) out[length++] = folded[k];
  }
  return length;
}

/* Kana and Hangul stay whole; what stands for a Han character becomes it. */
static size_t fold_cjk(int32_t c, char *out) {
  if (c >= 0x2F00 && c <= 0x2FD5) return fold_parts(c, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, out);
  if ((c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F)) return fold_parts(c, UTF8PROC_DECOMPOSE, out);
  return st_char_write(c, out);
}

static size_t fold_other(int32_t c, char *out) {
  const utf8proc_property_t *property = utf8proc_get_property(c);
  if (property->ignorable || st_char_is_diacritic(c)) return 0;
  if (c == DOTLESS_I) return st_char_write('i', out);
  if (property->casefold_seqindex == NONE && property->decomp_seqindex == NONE) return st_char_write(c, out);
  /* A symbol is one character and stays one. */
  return fold_parts(c, property->category == UTF8PROC_CATEGORY_SO ? 0 : UTF8PROC_DECOMPOSE, out);
}

static char lower_ascii(int32_t c) {
  return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

size_t st_fold_char(int32_t c, char out[ST_FOLD_MAX]) {
  if (c < 0x80) {
    out[0] = lower_ascii(c);
    return 1;
  }
  return st_char_is_cjk(c) ? fold_cjk(c, out) : fold_other(c, out);
}

/* Append the ASCII that `at` begins with; where it ends. */
static const char *fold_ascii(st_str *out, const char *at, const char *end) {
  char folded[256];
  size_t length = 0;
  while (at < end && (unsigned char)*at < 0x80 && length < sizeof folded) folded[length++] = lower_ascii(*at++);
  st_str_add(out, folded, length);
  return at;
}

void st_fold(st_str *out, const char *text, size_t length) {
  if (!length) return; /* then there may be no text */
  const char *at = text;
  const char *end = text + length;
  while (at < end) {
    at = fold_ascii(out, at, end);
    if (at == end || (unsigned char)*at < 0x80) continue;
    int size;
    char folded[ST_FOLD_MAX];
    int32_t c = st_fold_read(at, end, &size);
    if (c < 0) st_str_addz(out, ST_UTF8_REPLACEMENT);
    else st_str_add(out, folded, st_fold_char(c, folded));
    at += size;
  }
}
