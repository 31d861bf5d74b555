/* text.c - see text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(sv_text *text, size_t more) {
  size_t need = text->length + more + 1, room = text->room ? text->room : 128;
  if (text->failed) return false;
  if (need <= text->room) return true;
  while (room < need) room *= 2;
  char *bytes = realloc(text->bytes, room);
  if (!bytes) {
    text->failed = true;
    return false;
  }
  text->bytes = bytes;
  text->room = room;
  return true;
}

void sv_add(sv_text *text, const char *bytes, size_t length) {
  if (!make_room(text, length)) return;
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = '\0';
}

void sv_addz(sv_text *text, const char *words) {
  sv_add(text, words, strlen(words));
}

void sv_addf(sv_text *text, const char *format, ...) {
  char fixed[512], *long_one = NULL;
  va_list args;
  va_start(args, format);
  int length = vsnprintf(fixed, sizeof fixed, format, args);
  va_end(args);
  if (length < (int)sizeof fixed) {
    sv_add(text, fixed, (size_t)length);
    return;
  }
  va_start(args, format);
  length = vasprintf(&long_one, format, args);
  va_end(args);
  if (length < 0)
    text->failed = true;
  else
    sv_add(text, long_one, (size_t)length);
  free(length < 0 ? NULL : long_one);
}

/* The length of the UTF-8 character at `at`, or 0 when there is none. */
static size_t character(const unsigned char *at) {
  size_t more = *at < 0x80                  ? 0
                : *at >= 0xC2 && *at < 0xE0 ? 1
                : (*at & 0xF0) == 0xE0      ? 2
                : *at >= 0xF0 && *at < 0xF5 ? 3
                                            : 9;
  if (more == 9) return 0;
  for (size_t i = 1; i <= more; i++)
    if ((at[i] & 0xC0) != 0x80) return 0;
  bool narrow = (*at == 0xE0 && at[1] < 0xA0) || (*at == 0xF0 && at[1] < 0x90);
  bool outside = (*at == 0xED && at[1] >= 0xA0) || (*at == 0xF4 && at[1] >= 0x90);
  return narrow || outside ? 0 : more + 1;
}

void sv_add_words(sv_text *text, const char *words) {
  for (; *words; words++) {
    bool control = (unsigned char)*words < 0x20 || *words == 0x7f;
    sv_add(text, control ? "?" : words, 1);
  }
}

void sv_add_quoted(sv_text *text, const char *words) {
  sv_addz(text, "\"");
  for (const unsigned char *at = (const unsigned char *)words; *at;) {
    size_t length = character(at);
    if (*at < 0x20)
      sv_addf(text, "\\u%04x", *at);
    else if (*at == '"' || *at == '\\')
      sv_addf(text, "\\%c", *at);
    else if (length)
      sv_add(text, (const char *)at, length);
    else
      sv_addz(text, "\\ufffd");
    at += length ? length : 1;
  }
  sv_addz(text, "\"");
}

void sv_add_member(sv_text *text, const char *name, const char *words) {
  sv_addf(text, ",\"%s\":", name);
  sv_add_quoted(text, words);
}

void sv_text_free(sv_text *text) {
  free(text->bytes);
  *text = (sv_text){0};
}

char *sv_text_take(sv_text *text) {
  if (!text->bytes) make_room(text, 0);
  char *bytes = text->failed ? NULL : text->bytes;
  if (bytes) bytes[text->length] = '\0';
  if (!bytes) free(text->bytes);
  *text = (sv_text){0};
  return bytes;
}

void sv_hex(char *out, const unsigned char *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < count; i++) {
    *out++ = digits[bytes[i] >> 4];
    *out++ = digits[bytes[i] & 15];
  }
  *out = '\0';
}

static int digit(char c) {
  static const char digits[] = "0123456789abcdef";
  const char *at = c ? strchr(digits, c | (c >= 'A' && c <= 'F' ? 0x20 : 0)) : NULL;
  return at ? (int)(at - digits) : -1;
}

char *sv_decode(const char *bytes, size_t length, bool query) {
  char *out = malloc(length + 1), *to = out;
  for (size_t i = 0; out && i < length; i++) {
    char c = bytes[i];
    if (c == '%') {
      int high = i + 2 < length ? digit(bytes[i + 1]) : -1;
      int low = i + 2 < length ? digit(bytes[i + 2]) : -1;
      if (high < 0 || low < 0 || (high == 0 && low == 0)) {
        free(out);
        return NULL;
      }
      c = (char)(high << 4 | low);
      i += 2;
    } else if (query && c == '+') {
      c = ' ';
    }
    *to++ = c;
  }
  if (out) *to = '\0';
  return out;
}
