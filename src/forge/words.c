/* words.c - see words.h. */
#include "words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"

void words_begin(words *w) {
  *w = (words){0};
  w->to = open_memstream(&w->text, &w->length);
  w->failed = !w->to;
}

void words_format(words *w, const char *format, ...) {
  va_list args;
  if (w->failed) return;
  va_start(args, format);
  if (vfprintf(w->to, format, args) < 0) w->failed = true;
  va_end(args);
}

void words_member(words *w, const char *name, const char *text) {
  words_format(w, ",\"%s\":", name);
  if (!w->failed) json_write(w->to, text, strlen(text));
}

char *words_end(words *w) {
  bool good = w->to && !ferror(w->to);
  good = w->to && fclose(w->to) == 0 && good && !w->failed;
  if (good) return w->text;
  free(w->text);
  return NULL;
}
