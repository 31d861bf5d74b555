/* utf8.h - what is a character?  Inline, because it is asked for every one. */
#ifndef DOOR_UTF8_H
#define DOOR_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of the UTF-8 character at text, or 0.  A NUL is one of one byte, and ends the text. */
static inline size_t utf8_size(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  size_t length = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : c[0] < 0xF5 ? 4 : 0;
  for (size_t i = 1; i < length; i++)
    if ((c[i] & 0xC0) != 0x80) return 0;
  bool overlong = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
  bool beyond = (c[0] == 0xED && c[1] > 0x9F) || (c[0] == 0xF4 && c[1] > 0x8F);
  return overlong || beyond ? 0 : length;
}

/* Is all of it UTF-8? */
static inline bool utf8_valid(const char *text) {
  size_t length = 1;
  for (; *text && length; text += length) length = utf8_size(text);
  return length != 0;
}

#endif
