/* json.c - see json.h. */
#include "json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define DEPTH_MAX 200 /* as in the library */

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static const char *skip_space(const char *at, const char *end) {
  while (at < end && is_space(*at)) at++;
  return at;
}

static const char *skip_digits(const char *at, const char *end) {
  while (at < end && is_digit(*at)) at++;
  return at;
}

/* ---- Checking: each returns where the thing at `at` ends, or NULL if it is broken ---- */

static const char *string_end(const char *at, const char *end) {
  if (at == end || *at != '"') return NULL;
  for (at++; at < end && *at != '"'; at++) {
    if ((unsigned char)*at < 0x20) return NULL;
    if (*at != '\\') continue;
    if (++at == end || !strchr("\"\\/bfnrtu", *at)) return NULL;
    if (*at == 'u' && (end - at < 5 || strspn(at + 1, "0123456789abcdefABCDEF") < 4)) return NULL;
  }
  return at < end ? at + 1 : NULL;
}

static const char *number_end(const char *at, const char *end) {
  if (at < end && *at == '-') at++;
  if (at == end || !is_digit(*at)) return NULL;
  at = *at == '0' ? at + 1 : skip_digits(at, end);
  if (at < end && *at == '.') {
    if (++at == end || !is_digit(*at)) return NULL;
    at = skip_digits(at, end);
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    if (at == end || !is_digit(*at)) return NULL;
    at = skip_digits(at, end);
  }
  return at;
}

static const char *word_end(const char *at, const char *end) {
  static const char *const words[] = {"true", "false", "null"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]);
    if ((size_t)(end - at) >= length && memcmp(at, words[i], length) == 0) return at + length;
  }
  return NULL;
}

static const char *value_end(const char *at, const char *end, int depth);

/* An array, or an object, which has a name and a colon before each value. */
static const char *list_end(const char *at, const char *end, int depth) {
  bool named = *at == '{';
  char close = named ? '}' : ']';
  at = skip_space(at + 1, end);
  if (at < end && *at == close) return at + 1;
  while (depth < DEPTH_MAX) {
    if (named) {
      if (!(at = string_end(at, end))) return NULL;
      at = skip_space(at, end);
      if (at == end || *at != ':') return NULL;
      at = skip_space(at + 1, end);
    }
    if (!(at = value_end(at, end, depth + 1))) return NULL;
    at = skip_space(at, end);
    if (at < end && *at == close) return at + 1;
    if (at == end || *at != ',') return NULL;
    at = skip_space(at + 1, end);
  }
  return NULL;
}

static const char *value_end(const char *at, const char *end, int depth) {
  if (at == end) return NULL;
  if (*at == '{' || *at == '[') return list_end(at, end, depth);
  if (*at == '"') return string_end(at, end);
  return *at == '-' || is_digit(*at) ? number_end(at, end) : word_end(at, end);
}

json json_read(const char *text, size_t length) {
  const char *end = text + length, *at = skip_space(text, end);
  if (memchr(text, '\0', length) || !text_valid(text)) return (json){NULL, 0};
  const char *behind = value_end(at, end, 0);
  if (!behind || skip_space(behind, end) != end) return (json){NULL, 0};
  return (json){at, (size_t)(behind - at)};
}

/* ---- Finding: what is read here has been checked ---- */

char json_kind(json value) {
  return value.text ? *value.text : '\0';
}

/* The value at `at`. */
static json value_at(const char *at, const char *end) {
  return (json){at, (size_t)(value_end(at, end, 0) - at)};
}

json json_member(json object, const char *name) {
  json found = {NULL, 0};
  if (json_kind(object) != '{') return found;
  const char *end = object.text + object.length, *at;
  for (at = skip_space(object.text + 1, end); *at == '"'; at = skip_space(at + 1, end)) {
    json key = value_at(at, end), value = value_at(skip_space(strchr(at + key.length, ':') + 1, end), end);
    if (key.length == strlen(name) + 2 && memcmp(key.text + 1, name, key.length - 2) == 0) found = value;
    at = skip_space(value.text + value.length, end);
    if (*at != ',') break;
  }
  return found;
}

bool json_next(json array, json *element) {
  if (json_kind(array) != '[') return false;
  const char *end = array.text + array.length;
  const char *at = skip_space(element->text ? element->text + element->length : array.text + 1, end);
  if (*at == ',') at = skip_space(at + 1, end);
  if (*at == ']') return false;
  *element = value_at(at, end);
  return true;
}

/* ---- Writing ---- */

static uint32_t hex4(const char *at) {
  char digits[5] = {at[0], at[1], at[2], at[3], '\0'};
  return (uint32_t)strtoul(digits, NULL, 16);
}

static void put_utf8(FILE *to, uint32_t code) {
  if (code == 0 || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  if (code < 0x80) {
    fputc((int)code, to);
    return;
  }
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
  fputc((int)(first[more] | code >> 6 * more), to);
  while (more-- > 0) fputc((int)(0x80 | (code >> 6 * more & 0x3F)), to);
}

/* Write what stands behind a backslash; returns how much of it that was. */
static size_t put_escaped(FILE *to, const char *at) {
  static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
  const char *letter = strchr(letters, *at);
  if (*at != 'u') {
    fputc(letter ? meanings[letter - letters] : *at, to);
    return 1;
  }
  uint32_t code = hex4(at + 1);
  bool high = code >= 0xD800 && code < 0xDC00 && at[5] == '\\' && at[6] == 'u';
  uint32_t low = high && strspn(at + 7, "0123456789abcdefABCDEF") >= 4 ? hex4(at + 7) : 0;
  if (low >= 0xDC00 && low < 0xE000) {
    put_utf8(to, 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
    return 11;
  }
  put_utf8(to, code);
  return 5;
}

char *json_text(json value) {
  char *text = NULL;
  size_t size = 0;
  if (!value.text) return NULL;
  FILE *to = text_need(open_memstream(&text, &size));
  if (json_kind(value) == '"') {
    const char *at = value.text + 1, *end = value.text + value.length - 1;
    while (at < end) {
      const char *slash = memchr(at, '\\', (size_t)(end - at)), *stop = slash ? slash : end;
      fwrite(at, 1, (size_t)(stop - at), to);
      at = slash ? slash + 1 + put_escaped(to, slash + 1) : end;
    }
  } else {
    json_write(to, value);
  }
  fclose(to);
  return text_need(text);
}

void json_write(FILE *to, json value) {
  const char *at = value.text, *end = value.text + value.length;
  while (at < end) {
    const char *stop = at;
    if (*at == '"')
      stop = string_end(at, end);
    else
      while (stop < end && *stop != '"' && !is_space(*stop)) stop++;
    fwrite(at, 1, (size_t)(stop - at), to);
    at = skip_space(stop, end);
  }
}
