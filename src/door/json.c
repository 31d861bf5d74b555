/* json.c - see json.h. */
#include "json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

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
  if (memchr(text, '\0', length) || !utf8_valid(text)) return (json){NULL, 0};
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

bool json_next_member(json object, json *name, json *value) {
  if (json_kind(object) != '{') return false;
  const char *end = object.text + object.length;
  const char *at = skip_space(name->text ? value->text + value->length : object.text + 1, end);
  if (*at == ',') at = skip_space(at + 1, end);
  if (*at != '"') return false;
  *name = value_at(at, end);
  *value = value_at(skip_space(skip_space(at + name->length, end) + 1, end), end);
  return true;
}

json json_member(json object, const char *name) {
  json found = {NULL, 0}, key = {NULL, 0}, value;
  while (json_next_member(object, &key, &value))
    if (json_is(key, name)) found = value;
  return found;
}

bool json_is(json value, const char *text) {
  size_t length = strlen(text);
  return json_kind(value) == '"' && value.length == length + 2 && memcmp(value.text + 1, text, length) == 0;
}

long long json_int(json value, long long otherwise) {
  char digits[17];
  if (value.length == 0 || value.length >= sizeof digits) return otherwise;
  memcpy(digits, value.text, value.length);
  digits[value.length] = '\0';
  bool whole = strspn(digits + (*digits == '-'), "0123456789") == value.length - (*digits == '-');
  return whole && strcmp(digits, "-") != 0 ? strtoll(digits, NULL, 10) : otherwise;
}

double json_number(json value) {
  char kind = json_kind(value);
  return kind == '-' || is_digit(kind) ? strtod(value.text, NULL) : 0; /* what is behind it is no digit */
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

/* ---- As a text: never longer than what it is made of ---- */

static uint32_t hex4(const char *at) {
  char digits[5] = {at[0], at[1], at[2], at[3], '\0'};
  return (uint32_t)strtoul(digits, NULL, 16);
}

static char *put_utf8(char *to, uint32_t code) {
  if (code == 0 || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
  *to++ = (char)(first[more] | code >> 6 * more);
  while (more-- > 0) *to++ = (char)(0x80 | (code >> 6 * more & 0x3F));
  return to;
}

/* Decode what stands behind a backslash; *at moves behind it. */
static char *put_escaped(char *to, const char **at) {
  static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
  const char *escape = *at, *letter = strchr(letters, *escape);
  if (*escape != 'u') {
    *to++ = letter ? meanings[letter - letters] : *escape;
    *at += 1;
    return to;
  }
  uint32_t code = hex4(escape + 1);
  bool high = code >= 0xD800 && code < 0xDC00 && escape[5] == '\\' && escape[6] == 'u';
  uint32_t low = high && strspn(escape + 7, "0123456789abcdefABCDEF") >= 4 ? hex4(escape + 7) : 0;
  bool pair = low >= 0xDC00 && low < 0xE000;
  *at += pair ? 11 : 5;
  return put_utf8(to, pair ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : code);
}

static char *put_string(char *to, json value) {
  const char *at = value.text + 1, *end = value.text + value.length - 1;
  while (at < end) {
    const char *slash = memchr(at, '\\', (size_t)(end - at)), *stop = slash ? slash : end;
    memcpy(to, at, (size_t)(stop - at));
    to += stop - at;
    at = slash ? slash + 1 : end;
    if (slash) to = put_escaped(to, &at);
  }
  return to;
}

/* Without the spaces between its parts. */
static char *put_compact(char *to, json value) {
  const char *at = value.text, *end = value.text + value.length;
  while (at < end) {
    const char *stop = at;
    if (*at == '"')
      stop = string_end(at, end);
    else
      while (stop < end && *stop != '"' && !is_space(*stop)) stop++;
    memcpy(to, at, (size_t)(stop - at));
    to += stop - at;
    at = skip_space(stop, end);
  }
  return to;
}

char *json_text(json value) {
  char *text = value.text ? malloc(value.length + 1) : NULL;
  if (!text) return NULL;
  *(json_kind(value) == '"' ? put_string(text, value) : put_compact(text, value)) = '\0';
  return text;
}

/* ---- Writing ---- */

void json_write(FILE *to, const char *text, size_t length) {
  const char *end = text + length;
  fputc('"', to);
  while (text < end) {
    size_t bytes = utf8_size(text);
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(to, "\\%c", c);
    else if (c == '\n')
      fputs("\\n", to);
    else if (c < 0x20 || c == 0x7F)
      fprintf(to, "\\u%04x", c);
    else if (!bytes)
      fputs("\\ufffd", to);
    else
      fwrite(text, 1, bytes, to);
    text += bytes ? bytes : 1;
  }
  fputc('"', to);
}
