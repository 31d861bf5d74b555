/* chars.c - kinds of characters: our own ranges first, then what Unicode says. */
#include "base/chars.h"

#include <utf8proc.h>

#include "base/utf8.h"

typedef struct range {
  int32_t first, last;
} range;

static bool is_in(const range *ranges, size_t count, int32_t c) {
  size_t low = 0;
  while (count) { /* the first range that does not end before c lies in the count from low on */
    size_t half = count / 2;
    if (ranges[low + half].last < c) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return ranges[low].first <= c;
}

#define IS_IN(ranges, c) is_in(ranges, sizeof(ranges) / sizeof *(ranges) - 1, c)
#define NO_MORE {INT32_MAX, INT32_MAX}

/* By block, not by assigned character, so that ideographs younger than the Unicode tables count. */
bool st_char_is_cjk(int32_t c) {
  static const range cjk[] = {
      {0x1100, 0x115E},   {0x1161, 0x11FF},   /* Hangul jamo, without the two fillers */
      {0x2F00, 0x2FD5},                       /* Kangxi radicals */
      {0x3005, 0x3007},   {0x3021, 0x3029},   /* iteration mark, closing mark, zero; Hangzhou numerals */
      {0x3031, 0x3035},   {0x3038, 0x303C},   /* Kana repeat marks; more numerals */
      {0x3041, 0x3096},   {0x309D, 0x309F},   /* Hiragana, without its marks */
      {0x30A1, 0x30FA},   {0x30FC, 0x30FF},   /* Katakana, with the prolonged sound mark */
      {0x3105, 0x312F},                       /* Bopomofo */
      {0x3131, 0x3163},   {0x3165, 0x318E},   /* Hangul letters */
      {0x31A0, 0x31BF},   {0x31F0, 0x31FF},   /* more Bopomofo, more Katakana */
      {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   /* Han */
      {0xA960, 0xA97C},   {0xAC00, 0xD7A3},   /* jamo, Hangul syllables */
      {0xD7B0, 0xD7FB},   {0xF900, 0xFAFF},   /* jamo, compatibility ideographs */
      {0x1AFF0, 0x1AFFF}, {0x1B000, 0x1B16F}, /* more Kana */
      {0x20000, 0x3FFFD}, NO_MORE,            /* Han: extensions B and later */
  };
  return c >= 0x1100 && IS_IN(cjk, c);
}

bool st_char_is_diacritic(int32_t c) {
  static const range diacritics[] = {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
                                     {0x20D0, 0x20FF}, {0xFE20, 0xFE2F}, NO_MORE};
  return c >= 0x300 && IS_IN(diacritics, c);
}

static bool is_found_symbol(int32_t c) {
  static const range drawing[] = {{0x00A6, 0x00B0}, {0x2500, 0x259F}, {0x2800, 0x28FF}, {0xFFFC, 0xFFFD}, NO_MORE};
  return !IS_IN(drawing, c);
}

static st_char_kind ascii_kind(int32_t c) {
  if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) return ST_CHAR_LETTER;
  return c == ' ' || (c >= '\t' && c <= '\r') ? ST_CHAR_SPACE : ST_CHAR_PUNCT;
}

static st_char_kind unicode_kind(int32_t c) {
  const utf8proc_property_t *property = utf8proc_get_property(c);
  if (property->ignorable) return c == 0x200B ? ST_CHAR_SPACE : ST_CHAR_NOTHING;
  switch (property->category) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
    case UTF8PROC_CATEGORY_CO: return ST_CHAR_LETTER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return ST_CHAR_MARK;
    case UTF8PROC_CATEGORY_SO: return is_found_symbol(c) ? ST_CHAR_SYMBOL : ST_CHAR_PUNCT;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return ST_CHAR_SPACE;
    default: return ST_CHAR_PUNCT;
  }
}

st_char_kind st_char_kind_of(int32_t c) {
  if (c < 0x80) return ascii_kind(c);
  if (st_char_is_cjk(c)) return ST_CHAR_CJK;
  if (c >= 0x1F3FB && c <= 0x1F3FF) return ST_CHAR_NOTHING; /* skin tones */
  if (c >= 0x1F000 && c <= 0x1FAFF) return ST_CHAR_SYMBOL;
  return unicode_kind(c);
}

int32_t st_char_read(const char *at, const char *end, int *size) {
  const unsigned char *byte = (const unsigned char *)at;
  *size = st_utf8_char(at, end);
  switch (*size) {
    case 1: return byte[0];
    case 2: return (byte[0] & 0x1F) << 6 | (byte[1] & 0x3F);
    case 3: return (byte[0] & 0x0F) << 12 | (byte[1] & 0x3F) << 6 | (byte[2] & 0x3F);
    case 4: return (byte[0] & 0x07) << 18 | (byte[1] & 0x3F) << 12 | (byte[2] & 0x3F) << 6 | (byte[3] & 0x3F);
    default: *size = -*size; return -1;
  }
}

size_t st_char_write(int32_t c, char out[4]) {
  return (size_t)utf8proc_encode_char(c, (utf8proc_uint8_t *)out);
}
