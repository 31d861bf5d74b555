/* json_pull.c - the lazy JSON reader: one function that steps over a value and checks it on the way, and
** what can be asked about a piece of text that holds one. */
#include "base/json_pull.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/number.h"
#include "base/utf8.h"

const char st_pull_cut[] = "the text ends inside a value";

typedef struct skipper {
  const char *end;
  const char *why;
} skipper;

static const char *wrong(skipper *s, const char *at, const char *why) {
  if (!s->why) s->why = at >= s->end ? st_pull_cut : why;
  return NULL;
}

static const char *skip_space(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) at++;
  return at;
}

/* ----------------------------------------------------------------------------------- stepping */

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static const char *skip_escape(skipper *s, const char *at) {
  if (++at >= s->end) return wrong(s, s->end, NULL);
  if (*at != 'u') return memchr("\"\\/bfnrt", *at, 8) ? at + 1 : wrong(s, at, "no such escape");
  at++;
  for (int i = 0; i < 4; i++, at++) {
    if (at >= s->end || !is_hex(*at)) return wrong(s, at, "\\u needs four hexadecimal digits");
  }
  return at;
}

static const char *skip_string(skipper *s, const char *at) {
  at++;
  for (;;) {
    at = st_json_stop(at, s->end);
    if (at >= s->end) return wrong(s, at, NULL);
    if (*at == '"') return at + 1;
    at = skip_escape(s, at);
    if (!at) return NULL;
  }
}

static const char *skip_digits(skipper *s, const char *at) {
  if (at >= s->end || !is_digit(*at)) return wrong(s, at, "a digit is missing");
  while (at < s->end && is_digit(*at)) at++;
  return at;
}

static const char *skip_word(skipper *s, const char *at, const char *word) {
  size_t length = strlen(word);
  size_t there = (size_t)(s->end - at);
  if (there < length && memcmp(at, word, there) == 0) return wrong(s, s->end, NULL);
  if (there < length || memcmp(at, word, length) != 0) return wrong(s, at, "a value is missing");
  return at + length;
}

static const char *skip_number(skipper *s, const char *at) {
  if (*at == '-') at++;
  if (at < s->end && *at == 'I') return skip_word(s, at, "Infinity");
  const char *first = at;
  at = skip_digits(s, at);
  if (!at) return NULL;
  if (*first == '0' && at - first > 1) return wrong(s, first, "a number has a leading zero");
  if (at < s->end && *at == '.') {
    at = skip_digits(s, at + 1);
    if (!at) return NULL;
  }
  if (at < s->end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < s->end && (*at == '+' || *at == '-')) at++;
    at = skip_digits(s, at);
  }
  return at;
}

static const char *skip_scalar(skipper *s, const char *at) {
  switch (*at) {
    case '"': return skip_string(s, at);
    case 't': return skip_word(s, at, "true");
    case 'f': return skip_word(s, at, "false");
    case 'n': return skip_word(s, at, "null");
    case 'N': return skip_word(s, at, "NaN");
    case 'I': return skip_word(s, at, "Infinity");
    default:
      if (*at == '-' || is_digit(*at)) return skip_number(s, at);
      return wrong(s, at, "a value is missing");
  }
}

/* A member's name, the colon and the space around it. */
static const char *skip_name(skipper *s, const char *at) {
  if (at >= s->end || *at != '"') return wrong(s, at, "a name in quotes is missing");
  at = skip_string(s, at);
  if (!at) return NULL;
  at = skip_space(at, s->end);
  if (at >= s->end || *at != ':') return wrong(s, at, "a colon is missing");
  return skip_space(at + 1, s->end);
}

/* Without recursion: `open` says of each bracket that is not yet closed whether it is an object's. */
const char *st_pull_skip(const char *at, const char *end, const char **why) {
  skipper s = {.end = end};
  bool open[ST_JSON_MAX_DEPTH];
  int depth = 0;
  bool opened = false; /* the last thing was an opening bracket: its closing one may follow */
  at = skip_space(at, end);
  for (;;) {
    char closing = depth && open[depth - 1] ? '}' : ']';
    if (!(opened && at < end && *at == closing)) {
      if (depth && open[depth - 1]) at = skip_name(&s, at);
      if (at && at >= end) at = wrong(&s, at, NULL);
      if (!at) break;
      if (*at == '{' || *at == '[') {
        if (depth == ST_JSON_MAX_DEPTH) {
          at = wrong(&s, at, "nested too deeply");
          break;
        }
        open[depth++] = *at == '{';
        opened = true;
        at = skip_space(at + 1, end);
        continue;
      }
      at = skip_scalar(&s, at);
      if (!at || depth == 0) break;
      at = skip_space(at, end);
    }
    opened = false;
    while (depth && at < end && *at == (open[depth - 1] ? '}' : ']')) {
      at++;
      if (--depth) at = skip_space(at, end);
    }
    if (depth == 0) break;
    if (at >= end || *at != ',') {
      at = wrong(&s, at, open[depth - 1] ? "a comma or } is missing" : "a comma or ] is missing");
      break;
    }
    at = skip_space(at + 1, end);
  }
  if (why) *why = at ? NULL : s.why;
  return at;
}

/* ------------------------------------------------------------------------------------- asking */

st_json_type st_pull_type(st_text value) {
  if (!value.length) return ST_JSON_NULL;
  switch (*value.bytes) {
    case '{': return ST_JSON_OBJECT;
    case '[': return ST_JSON_ARRAY;
    case '"': return ST_JSON_STRING;
    case 't':
    case 'f': return ST_JSON_BOOL;
    case 'n':
    case 'N':
    case 'I': return ST_JSON_NULL;
    default: return ST_JSON_INT;
  }
}

st_pull st_pull_into(st_text value) {
  st_pull walk = {.at = value.bytes, .end = value.bytes ? value.bytes + value.length : NULL};
  if (!st_pull_is_object(value) && !st_pull_is_array(value)) return (st_pull){0};
  walk.named = *value.bytes == '{';
  walk.at = skip_space(walk.at + 1, walk.end);
  return walk;
}

bool st_pull_next(st_pull *walk) {
  skipper s = {.end = walk->end};
  const char *at = walk->at;
  walk->at = walk->end; /* whatever goes wrong below, it is over */
  if (!at || at >= s.end || *at == '}' || *at == ']') return false;
  if (walk->named) {
    const char *name = at;
    if (*name != '"') return false;
    const char *after = skip_string(&s, name);
    if (!after) return false;
    walk->name = (st_text){name, (size_t)(after - name)};
    at = skip_space(after, s.end);
    if (at >= s.end || *at != ':') return false;
    at = skip_space(at + 1, s.end);
  }
  const char *after = st_pull_skip(at, s.end, NULL);
  if (!after) return false;
  walk->value = (st_text){at, (size_t)(after - at)};
  after = skip_space(after, s.end);
  if (after < s.end && *after == ',') after = skip_space(after + 1, s.end);
  walk->at = after;
  return true;
}

void st_pull_pick(st_text object, const st_pull_want *wants, size_t count) {
  if (!st_pull_is_object(object)) return;
  st_pull walk = st_pull_into(object);
  while (st_pull_next(&walk)) {
    for (size_t i = 0; i < count; i++) {
      if (st_pull_is(walk.name, wants[i].name)) *wants[i].value = walk.value;
    }
  }
}

st_text st_pull_get(st_text object, const char *name) {
  st_text value = {0};
  st_pull_pick(object, &(st_pull_want){name, &value}, 1);
  return value;
}

/* Strings that are compared are short names; one with escapes is decoded into a small arena. */
static bool is_decoded(st_text value, const char *text, size_t length) {
  st_arena arena;
  const char *decoded;
  size_t decoded_length;
  if (value.length - 2 > 6 * length) return false; /* an escape takes at most six bytes for one */
  st_arena_init(&arena, 4 * value.length + 64);
  bool same = st_json_unquote(&arena, value.bytes, value.length, ST_JSON_LENIENT, &decoded, &decoded_length) &&
              decoded_length == length && memcmp(decoded, text, length) == 0;
  st_arena_free(&arena);
  return same;
}

bool st_pull_is(st_text value, const char *text) {
  size_t length = strlen(text);
  if (!st_pull_is_string(value) || value.length < 2 || value.length - 2 < length) return false;
  if (value.length - 2 == length) return memcmp(value.bytes + 1, text, length) == 0 && !memchr(text, '\\', length);
  return memchr(value.bytes, '\\', value.length) && is_decoded(value, text, length); /* an escape makes it longer */
}

bool st_pull_true(st_text value) {
  return value.length && *value.bytes == 't';
}

int64_t st_pull_int(st_text value, int64_t otherwise) {
  int64_t number;
  if (st_pull_type(value) != ST_JSON_INT) return otherwise;
  if (st_parse_int(value.bytes, value.length, &number)) return number;
  double real = st_pull_real(value, -0x1p63);
  return real > -0x1p63 && real < 0x1p63 ? (int64_t)real : otherwise;
}

double st_pull_real(st_text value, double otherwise) {
  double number;
  if (st_pull_type(value) != ST_JSON_INT || !st_parse_real(value.bytes, value.length, &number)) return otherwise;
  return number;
}

bool st_pull_text(st_arena *arena, st_text value, st_text *out) {
  *out = (st_text){0};
  if (!st_pull_is_string(value) || value.length < 2) return true;
  st_text inside = {value.bytes + 1, value.length - 2};
  if (!memchr(inside.bytes, '\\', inside.length) && st_utf8_valid(inside.bytes, inside.length)) {
    *out = inside;
    return true;
  }
  return st_json_unquote(arena, value.bytes, value.length, ST_JSON_LENIENT, &out->bytes, &out->length);
}

/* ------------------------------------------------------------------------------------ writing */

static bool write_members(st_arena *arena, st_text value, st_str *out) {
  st_pull walk = st_pull_into(value);
  bool first = true;
  st_str_addc(out, walk.named ? '{' : '[');
  while (st_pull_next(&walk)) {
    if (!first) st_str_addc(out, ',');
    first = false;
    if (walk.named) {
      if (!st_pull_write(arena, walk.name, out)) return false;
      st_str_addc(out, ':');
    }
    if (!st_pull_write(arena, walk.value, out)) return false;
  }
  st_str_addc(out, walk.named ? '}' : ']');
  return !out->failed;
}

/* As deep as st_pull_skip lets anything be. */
bool st_pull_write(st_arena *arena, st_text value, st_str *out) {
  st_text text;
  double number;
  switch (st_pull_type(value)) {
    case ST_JSON_OBJECT:
    case ST_JSON_ARRAY: return write_members(arena, value, out);
    case ST_JSON_STRING:
      if (!st_pull_text(arena, value, &text)) return false;
      st_json_add_string(out, text.bytes, text.length);
      break;
    case ST_JSON_BOOL: st_str_add(out, value.bytes, value.length); break;
    case ST_JSON_NULL: st_str_add(out, "null", 4); break;
    default: /* a number that no double holds is null, as for the other reader */
      if (st_parse_real(value.bytes, value.length, &number)) st_str_add(out, value.bytes, value.length);
      else st_str_add(out, "null", 4);
  }
  return !out->failed;
}
