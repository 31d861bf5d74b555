/* str.c - a text that grows by doubling, up to its maximum. */
#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define FIRST_ROOM 64

void st_str_init(st_str *str, size_t max) {
  *str = (st_str){0};
  /* Half of what a size can say, so that doubling and the NUL never overflow. */
  str->max = max < SIZE_MAX / 2 ? max : SIZE_MAX / 2 - 1;
}

/* Make room for extra more bytes and the NUL.  False, and failed, when that cannot be. */
static bool reserve(st_str *str, size_t extra) {
  if (str->failed) return false;
  str->failed = true;
  if (extra > str->max - str->length) return false;
  size_t need = str->length + extra + 1;
  if (need > str->room) {
    size_t room = str->room ? str->room * 2 : FIRST_ROOM;
    if (room > str->max + 1) room = str->max + 1;
    if (room < need) room = need;
    char *text = st_realloc(str->text, room);
    if (!text) return false;
    str->text = text;
    str->room = room;
  }
  str->failed = false;
  return true;
}

void st_str_add(st_str *str, const char *bytes, size_t length) {
  if (!reserve(str, length)) return;
  if (length) memcpy(str->text + str->length, bytes, length);
  str->length += length;
  str->text[str->length] = '\0';
}

void st_str_addz(st_str *str, const char *text) {
  st_str_add(str, text, strlen(text));
}

void st_str_addc(st_str *str, char c) {
  st_str_add(str, &c, 1);
}

void st_str_addf(st_str *str, const char *format, ...) {
  if (!reserve(str, 0)) return;
  va_list args;
  va_start(args, format);
  int wanted = vsnprintf(str->text + str->length, str->room - str->length, format, args);
  va_end(args);
  if (wanted < 0) {
    str->text[str->length] = '\0';
    str->failed = true;
    return;
  }
  size_t length = (size_t)wanted;
  if (length >= str->room - str->length) { /* it was cut: once more, with enough room */
    str->text[str->length] = '\0';
    if (!reserve(str, length)) return;
    va_start(args, format);
    vsnprintf(str->text + str->length, length + 1, format, args);
    va_end(args);
  }
  str->length += length;
}

char *st_str_take(st_str *str) {
  reserve(str, 0); /* nothing appended is an empty text, not a failure */
  char *text = str->text;
  if (str->failed) {
    st_free(text);
    text = NULL;
  } else {
    text[str->length] = '\0';
  }
  st_str_init(str, str->max);
  return text;
}

void st_str_clear(st_str *str) {
  str->length = 0;
  str->failed = false;
  if (str->text) str->text[0] = '\0';
}

void st_str_cut(st_str *str, size_t length) {
  if (length >= str->length) return;
  str->length = length;
  str->text[length] = '\0';
}

void st_str_free(st_str *str) {
  st_free(str->text);
  st_str_init(str, str->max);
}
