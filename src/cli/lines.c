/* lines.c - see lines.h. */
#include "lines.h"

#include <stdlib.h>

#include "text.h"

static void put(lines *in, int c) {
  if (in->length + 1 >= in->room) {
    in->room = in->room ? in->room * 2 : 1 << 16;
    in->text = text_need(realloc(in->text, in->room));
  }
  in->text[in->length++] = (char)c;
}

line_status lines_next(lines *in) {
  int c;
  size_t bytes = 0;
  in->length = 0;
  for (; (c = getc_unlocked(in->file)) != EOF && c != '\n'; bytes++)
    if (bytes < LINE_MAX_BYTES) put(in, c);
  if (c == EOF && ferror(in->file)) return LINE_FAILED;
  if (c == EOF && !bytes) return LINE_END;
  put(in, '\0');
  in->length--;
  in->number++;
  in->taken += (int64_t)bytes + (c == '\n');
  return bytes > LINE_MAX_BYTES ? LINE_LONG : LINE_READ;
}

void lines_free(lines *in) {
  free(in->text);
}
