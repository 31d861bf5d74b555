/* text.c - see text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "../door/json.h"
#include "../door/utf8.h"

void *text_need(void *memory) {
  if (memory) return memory;
  fputs("stele: out of memory\n", stderr);
  exit(1);
}

char *text_format(const char *format, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) text = NULL;
  va_end(args);
  return text_need(text);
}

static uint32_t code_point(const char *text, size_t length) {
  static const unsigned char first[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t code = (unsigned char)text[0] & first[length];
  for (size_t i = 1; i < length; i++) code = code << 6 | ((unsigned char)text[i] & 0x3F);
  return code;
}

bool text_valid(const char *text) {
  return utf8_valid(text);
}

size_t text_character(const char *text, size_t *columns) {
  size_t length = utf8_size(text);
  int width = length ? wcwidth((wchar_t)code_point(text, length)) : 1;
  *columns = width < 0 ? 1 : (size_t)width; /* below zero: unknown to the locale */
  return length ? length : 1;
}

size_t text_width(const char *text) {
  size_t width = 0, columns;
  while (*text) {
    text += text_character(text, &columns);
    width += columns;
  }
  return width;
}

size_t text_fit(const char *text, size_t columns) {
  size_t length = 0, used = 0, wide;
  while (text[length]) {
    size_t bytes = text_character(text + length, &wide);
    if (used + wide > columns) break;
    length += bytes;
    used += wide;
  }
  return length;
}

bool text_obeyed(const char *text) {
  size_t length = utf8_size(text);
  uint32_t code = length ? code_point(text, length) : 0;
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200E && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

char *text_clean(const char *text) {
  char *copy = text_need(malloc(strlen(text) + 1)), *to = copy;
  while (*text) {
    size_t length = utf8_size(text);
    if (*text == '\n' || *text == '\t') {
      *to++ = ' ';
    } else if (text_obeyed(text)) {
      *to++ = '?';
    } else {
      memcpy(to, text, length);
      to += length;
    }
    text += length ? length : 1;
  }
  *to = '\0';
  return copy;
}

char *text_shell(const char *word) {
  char *text = NULL;
  size_t length = 0;
  if (*word && !strpbrk(word, " \t\n\"'`$&;|<>()*?[]{}#~!\\")) return text_format("%s", word);
  FILE *to = text_need(open_memstream(&text, &length));
  fputc('\'', to);
  for (; *word; word++) fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, to);
  fputc('\'', to);
  fclose(to);
  return text_need(text);
}

void text_json(FILE *to, const char *text) {
  json_write(to, text, strlen(text));
}

char *text_quote(const char *text) {
  char *quoted = NULL;
  size_t length = 0;
  if (!text_valid(text)) return NULL;
  FILE *to = text_need(open_memstream(&quoted, &length));
  text_json(to, text);
  fclose(to);
  return text_need(quoted);
}
