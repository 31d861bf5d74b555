/* json.c - the JSON reader: recursive descent over the text, nodes and decoded strings in an arena.
**
** A function that reads returns false (or NULL) after fail() has said why and where; nothing is
** undone, since the arena holds all. */
#include "base/json.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/number.h"
#include "base/utf8.h"

typedef struct reader {
  st_arena *arena;
  const char *start;
  const char *at;
  const char *end;
  bool lenient;
  int depth;
  st_json_error error;
} reader;

/* Where the characters of a string go; measured first, with out NULL, and then written. */
typedef struct sink {
  char *out;
  size_t length;
  bool changed; /* something was decoded or replaced: it is no longer what stood in the text */
} sink;

static const char ends_in_string[] = "the text ends inside a string";

static bool fail(reader *r, const char *message) {
  r->error = (st_json_error){.offset = (size_t)(r->at - r->start), .message = message};
  return false;
}

static bool fail_nomem(reader *r) {
  fail(r, "out of memory");
  r->error.nomem = true;
  return false;
}

/* The next byte; NUL at the end, which begins nothing that is valid. */
static char peek(const reader *r) {
  return r->at < r->end ? *r->at : '\0';
}

static void skip_space(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')) r->at++;
}

static bool take_word(reader *r, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
  r->at += length;
  return true;
}

/* ------------------------------------------------------------------------------------ strings */

static void put(sink *s, const char *bytes, size_t length) {
  if (s->out) memcpy(s->out + s->length, bytes, length);
  s->length += length;
}

static void put_replacement(sink *s) {
  s->changed = true;
  put(s, ST_UTF8_REPLACEMENT, ST_UTF8_REPLACEMENT_SIZE);
}

static void put_char(sink *s, uint32_t c) {
  char bytes[4];
  size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  static const unsigned char leads[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
  for (size_t i = length - 1; i > 0; i--, c >>= 6) bytes[i] = (char)(0x80 | (c & 0x3F));
  bytes[0] = (char)(leads[length] | c);
  put(s, bytes, length);
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* The value of the \uXXXX at `at`, or -1 if there is none. */
static int32_t escaped_unit(const char *at, const char *end) {
  int32_t value = 0;
  if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return -1;
  for (int i = 2; i < 6; i++) {
    int digit = hex_digit(at[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

static bool read_unicode_escape(reader *r, sink *s) {
  int32_t unit = escaped_unit(r->at, r->end);
  if (unit < 0) return fail(r, "\\u needs four hexadecimal digits");
  if (unit < 0xD800 || unit > 0xDFFF) {
    put_char(s, (uint32_t)unit);
    r->at += 6;
    return true;
  }
  int32_t low = unit < 0xDC00 ? escaped_unit(r->at + 6, r->end) : -1;
  if (low >= 0xDC00 && low <= 0xDFFF) {
    put_char(s, 0x10000 + (((uint32_t)unit - 0xD800) << 10) + ((uint32_t)low - 0xDC00));
    r->at += 12;
    return true;
  }
  if (!r->lenient) return fail(r, "half of a surrogate pair");
  put_replacement(s);
  r->at += 6;
  return true;
}

static bool read_escape(reader *r, sink *s) {
  static const char names[] = "\"\\/bfnrt";
  static const char values[] = "\"\\/\b\f\n\r\t";
  s->changed = true;
  if (r->end - r->at < 2) return fail(r, ends_in_string);
  if (r->at[1] == 'u') return read_unicode_escape(r, s);
  const char *name = memchr(names, r->at[1], sizeof names - 1);
  if (!name) return fail(r, "no such escape");
  put(s, &values[name - names], 1);
  r->at += 2;
  return true;
}

/* All characters from here on that are not ASCII, and one replacement if it stops at bad bytes. */
static bool read_utf8(reader *r, sink *s) {
  const char *run = r->at;
  int bad;
  r->at = st_utf8_run(run, r->end, &bad);
  put(s, run, (size_t)(r->at - run));
  if (!bad) return true;
  if (!r->lenient) return fail(r, "not UTF-8");
  put_replacement(s);
  r->at += bad;
  return true;
}

static bool read_control(reader *r, sink *s) {
  if (!r->lenient) return fail(r, "a control character in a string must be escaped");
  put(s, r->at, 1);
  r->at++;
  return true;
}

/* From after the opening quote to after the closing one. */
static bool read_characters(reader *r, sink *s) {
  for (;;) {
    const char *run = r->at;
    r->at = st_json_plain(run, r->end);
    put(s, run, (size_t)(r->at - run));
    if (r->at == r->end) return fail(r, ends_in_string);
    bool ok;
    switch (*r->at) {
      case '"': r->at++; return true;
      case '\\': ok = read_escape(r, s); break;
      default: ok = (unsigned char)*r->at >= 0x80 ? read_utf8(r, s) : read_control(r, s);
    }
    if (!ok) return false;
  }
}

static bool read_string(reader *r, const char **text, size_t *length) {
  const char *start = ++r->at;
  sink measured = {0};
  if (!read_characters(r, &measured)) return false;
  char *copy = st_arena_alloc(r->arena, measured.length + 1);
  if (!copy) return fail_nomem(r);
  if (measured.changed) {
    sink written = {.out = copy};
    r->at = start;
    read_characters(r, &written);
  } else {
    memcpy(copy, start, measured.length);
  }
  copy[measured.length] = '\0';
  *text = copy;
  *length = measured.length;
  return true;
}

/* ------------------------------------------------------------------------------------- values */

static bool skip_digits(reader *r) {
  const char *start = r->at;
  while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
  return r->at > start || fail(r, "a digit is missing");
}

/* Step over a number.  *whole: it has neither point nor exponent. */
static bool skip_number(reader *r, bool *whole) {
  *whole = true;
  if (peek(r) == '-') r->at++;
  const char *first = r->at;
  if (!skip_digits(r)) return false;
  if (*first == '0' && r->at - first > 1) {
    r->at = first;
    return fail(r, "a number has a leading zero");
  }
  if (peek(r) == '.') {
    *whole = false;
    r->at++;
    if (!skip_digits(r)) return false;
  }
  if (peek(r) == 'e' || peek(r) == 'E') {
    *whole = false;
    r->at++;
    if (peek(r) == '+' || peek(r) == '-') r->at++;
    if (!skip_digits(r)) return false;
  }
  return true;
}

static bool read_number(reader *r, st_json *node) {
  const char *start = r->at;
  bool whole;
  if (r->lenient && take_word(r, "-Infinity")) return true;
  if (!skip_number(r, &whole)) return false;
  size_t length = (size_t)(r->at - start);
  /* An integer has no -0, so that one is kept as a real. */
  if (whole && st_parse_int(start, length, &node->integer) && (node->integer != 0 || *start != '-')) {
    node->type = ST_JSON_INT;
    node->real = (double)node->integer;
    return true;
  }
  if (st_parse_real(start, length, &node->real)) {
    node->type = ST_JSON_REAL;
    return true;
  }
  if (r->lenient) return true; /* too large is infinity, and that is null */
  r->at = start;
  return fail(r, "number out of range");
}

static bool read_word(reader *r, st_json *node) {
  if (take_word(r, "null")) return true;
  if (r->lenient && (take_word(r, "NaN") || take_word(r, "Infinity"))) return true;
  bool yes = take_word(r, "true");
  if (!yes && !take_word(r, "false")) return fail(r, "a value is missing");
  node->type = ST_JSON_BOOL;
  node->boolean = yes;
  return true;
}

static st_json *read_value(reader *r);

/* A member's name and the colon after it, up to the value. */
static bool read_name(reader *r, const char **key, size_t *length) {
  if (peek(r) != '"') return fail(r, "a name in quotes is missing");
  if (!read_string(r, key, length)) return false;
  skip_space(r);
  if (peek(r) != ':') return fail(r, "a colon is missing");
  r->at++;
  skip_space(r);
  return true;
}

static st_json *read_member(reader *r, bool named) {
  const char *key = NULL;
  size_t key_length = 0;
  if (named && !read_name(r, &key, &key_length)) return NULL;
  st_json *member = read_value(r);
  if (!member) return NULL;
  member->key = key;
  member->key_length = key_length;
  return member;
}

/* An array or object, from its opening bracket to after its closing one. */
static bool read_members(reader *r, st_json *node) {
  bool named = *r->at == '{';
  char closing = named ? '}' : ']';
  st_json **tail = &node->first;
  if (r->depth == ST_JSON_MAX_DEPTH) return fail(r, "nested too deeply");
  node->type = named ? ST_JSON_OBJECT : ST_JSON_ARRAY;
  r->at++;
  r->depth++;
  skip_space(r);
  bool more = peek(r) != closing;
  while (more) {
    *tail = read_member(r, named);
    if (!*tail) return false;
    tail = &(*tail)->next;
    node->length++;
    skip_space(r);
    more = peek(r) == ',';
    if (more) {
      r->at++;
      skip_space(r);
    } else if (peek(r) != closing) {
      return fail(r, named ? "a comma or } is missing" : "a comma or ] is missing");
    }
  }
  r->at++;
  r->depth--;
  return true;
}

static bool read_into(reader *r, st_json *node) {
  switch (peek(r)) {
    case '{':
    case '[': return read_members(r, node);
    case '"': node->type = ST_JSON_STRING; return read_string(r, &node->text, &node->length);
    case '-':
    case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9': return read_number(r, node);
    default: return read_word(r, node);
  }
}

static st_json *read_value(reader *r) {
  st_json *node = st_arena_zero(r->arena, sizeof *node); /* zero is null */
  if (!node) {
    fail_nomem(r);
    return NULL;
  }
  node->raw = r->at;
  if (!read_into(r, node)) return NULL;
  node->raw_length = (size_t)(r->at - node->raw);
  return node;
}

st_json *st_json_parse(st_arena *arena, const char *text, size_t length, unsigned flags,
                       st_json_error *error) {
  if (length == 0) text = ""; /* which may have been NULL */
  reader r = {.arena = arena, .start = text, .at = text, .end = text + length};
  r.lenient = (flags & ST_JSON_LENIENT) != 0;
  skip_space(&r);
  st_json *value = read_value(&r);
  if (value) {
    skip_space(&r);
    if (r.at < r.end) {
      fail(&r, "something follows the value");
      value = NULL;
    }
  }
  if (error) *error = r.error;
  return value;
}

bool st_json_unquote(st_arena *arena, const char *quoted, size_t size, unsigned flags, const char **text,
                     size_t *length) {
  if (size == 0 || *quoted != '"') return false;
  reader r = {.arena = arena, .start = quoted, .at = quoted, .end = quoted + size};
  r.lenient = (flags & ST_JSON_LENIENT) != 0;
  return read_string(&r, text, length) && r.at == r.end;
}

const st_json *st_json_get(const st_json *object, const char *key) {
  const st_json *found = NULL;
  if (!object || object->type != ST_JSON_OBJECT) return NULL;
  size_t length = strlen(key);
  for (const st_json *member = object->first; member; member = member->next) {
    if (member->key_length == length && memcmp(member->key, key, length) == 0) found = member;
  }
  return found;
}
