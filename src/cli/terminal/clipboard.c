/* clipboard.c - see clipboard.h. */
#include "clipboard.h"

#include <stdlib.h>
#include <string.h>

#include "../text.h"

#define BEGIN "\033]52;c;"
#define END "\a"

/* Three bytes, or what is left of them, as four characters. */
static char *encode(char *to, const unsigned char *from, size_t left) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned bits = (unsigned)from[0] << 16 | (left > 1 ? (unsigned)from[1] << 8 : 0) | (left > 2 ? from[2] : 0u);
  *to++ = digits[bits >> 18];
  *to++ = digits[bits >> 12 & 63];
  *to++ = left > 1 ? digits[bits >> 6 & 63] : '=';
  *to++ = left > 2 ? digits[bits & 63] : '=';
  return to;
}

char *clipboard_sequence(const char *text, size_t *taken) {
  size_t length = strlen(text);
  if (length > CLIPBOARD_MAX)
    for (length = CLIPBOARD_MAX; length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80;) length--;
  char *sequence = text_need(malloc(strlen(BEGIN) + length / 3 * 4 + 4 + strlen(END) + 1)), *to = stpcpy(sequence, BEGIN);
  for (size_t i = 0; i < length; i += 3) to = encode(to, (const unsigned char *)text + i, length - i);
  strcpy(to, END);
  *taken = length;
  return sequence;
}
