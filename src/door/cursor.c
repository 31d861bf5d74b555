/* cursor.c - see cursor.h. */
#include "cursor.h"

#include <stddef.h>
#include <stdlib.h>

#define START_MAX ((int64_t)1 << 53) /* so that the next page's can be counted */

bool cursor_read(const char *cursor, int64_t *start) {
  char *end = NULL;
  *start = *cursor == 'p' ? strtoll(cursor + 1, &end, 36) : -1;
  return *start >= 0 && *start <= START_MAX && end && *end == '\0' && end > cursor + 1;
}

void cursor_write(char out[CURSOR_SIZE], int64_t start) {
  char digits[16];
  size_t count = 0;
  for (; start > 0 || count == 0; start /= 36) digits[count++] = "0123456789abcdefghijklmnopqrstuvwxyz"[start % 36];
  *out++ = 'p';
  while (count > 0) *out++ = digits[--count];
  *out = '\0';
}
