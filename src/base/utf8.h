/* utf8.h - is it UTF-8?  Inline, because it is asked for every character that is not ASCII. */
#ifndef ST_UTF8_H
#define ST_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#define ST_UTF8_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */
#define ST_UTF8_REPLACEMENT_SIZE 3

/* The size of the character at `at`, before end: 1 to 4.  If the bytes are no character (overlong,
** a surrogate, above U+10FFFF, cut short), minus the number of bytes that one U+FFFD stands for. */
static inline int st_utf8_char(const char *at, const char *end) {
  const unsigned char *byte = (const unsigned char *)at;
  unsigned char lead = byte[0];
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return -1;
  int size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (int i = 1; i < size; i++) {
    if (end - at <= i || byte[i] < low || byte[i] > high) return -i;
    low = 0x80; /* only the second byte has a narrower range */
    high = 0xBF;
  }
  return size;
}

/* Step over the characters from `at` on that are not ASCII.  Where it stops, *bad bytes are none;
** 0 if it stopped before ASCII or at the end. */
static inline const char *st_utf8_run(const char *at, const char *end, int *bad) {
  *bad = 0;
  while (at < end && (unsigned char)*at >= 0x80) {
    int size = st_utf8_char(at, end);
    if (size < 0) {
      *bad = -size;
      break;
    }
    at += size;
  }
  return at;
}

/* How many bytes its first so many characters take; bytes that are none count as one each. */
static inline size_t st_utf8_cut(const char *text, size_t length, int characters) {
  const char *at = text, *end = text + length;
  for (; at < end && characters > 0; characters--) {
    int size = st_utf8_char(at, end);
    at += size > 0 ? size : 1;
  }
  return (size_t)(at - text);
}

/* Is all of it UTF-8? */
static inline bool st_utf8_valid(const char *text, size_t length) {
  const char *end = text + length;
  int bad = 0;
  while (text < end && !bad) text = (unsigned char)*text < 0x80 ? text + 1 : st_utf8_run(text, end, &bad);
  return !bad;
}

#endif
