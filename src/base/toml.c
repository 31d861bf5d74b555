/* toml.c - see toml.h.  A reader function answers false (or NULL) after fail() has said why. */
#include "base/toml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

typedef struct reader {
  st_arena *arena;
  const char *at;
  const char *begin, *end;
  int line;
  int depth; /* of arrays */
  st_toml_error *error;
} reader;

#define DEPTH_MAX 16

static bool fail(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(reader *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  r->error->line = r->line;
  vsnprintf(r->error->message, sizeof r->error->message, format, args);
  va_end(args);
  return false;
}

static bool fail_nomem(reader *r) {
  r->error->nomem = true;
  return fail(r, "out of memory");
}

/* The next byte; NUL at the end, which begins nothing. */
static char peek(const reader *r) {
  return r->at < r->end ? *r->at : '\0';
}

static void skip_blank(reader *r) {
  while (peek(r) == ' ' || peek(r) == '\t') r->at++;
}

static bool skip_comment(reader *r) {
  const char *start = r->at;
  if (peek(r) != '#') return true;
  while (r->at < r->end && *r->at != '\n') {
    unsigned char c = (unsigned char)*r->at++;
    if ((c < 0x20 && c != '\t' && c != '\r') || c == 0x7F) return fail(r, "a control character in a comment");
  }
  return st_utf8_valid(start, (size_t)(r->at - start)) || fail(r, "not UTF-8");
}

/* Over the end of a line, if there is one here. */
static bool skip_newline(reader *r) {
  if (peek(r) == '\r' && r->end - r->at > 1 && r->at[1] == '\n') r->at++;
  if (peek(r) != '\n') return false;
  r->at++;
  r->line++;
  return true;
}

/* Over everything that says nothing. */
static bool skip_space(reader *r) {
  do {
    skip_blank(r);
    if (!skip_comment(r)) return false;
  } while (skip_newline(r));
  return true;
}

/* Nothing but a comment may follow. */
static bool end_line(reader *r) {
  skip_blank(r);
  if (!skip_comment(r)) return false;
  if (r->at == r->end || skip_newline(r)) return true;
  return fail(r, "something follows the value");
}

static st_toml *new_node(reader *r, st_toml_type type) {
  st_toml *node = st_arena_zero(r->arena, sizeof *node);
  if (!node) {
    fail_nomem(r);
    return NULL;
  }
  node->type = type;
  node->line = r->line;
  return node;
}

static void append(st_toml *parent, st_toml *child) {
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
}

/* ---- strings ---- */

/* The value of count hexadecimal digits, or -1. */
static int64_t hex(const reader *r, int count) {
  int64_t value = 0;
  if (r->end - r->at < count) return -1;
  for (int i = 0; i < count; i++) {
    static const char digits[] = "0123456789abcdef";
    char c = r->at[i] >= 'A' && r->at[i] <= 'F' ? (char)(r->at[i] + 32) : r->at[i];
    const char *digit = memchr(digits, c, 16);
    if (!digit) return -1;
    value = value * 16 + (digit - digits);
  }
  return value;
}

static char *put_char(char *out, int64_t c) {
  if (c < 0x80) {
    *out++ = (char)c;
  } else if (c < 0x800) {
    *out++ = (char)(0xC0 | c >> 6);
    *out++ = (char)(0x80 | (c & 0x3F));
  } else {
    if (c < 0x10000) {
      *out++ = (char)(0xE0 | c >> 12);
    } else {
      *out++ = (char)(0xF0 | c >> 18);
      *out++ = (char)(0x80 | (c >> 12 & 0x3F));
    }
    *out++ = (char)(0x80 | (c >> 6 & 0x3F));
    *out++ = (char)(0x80 | (c & 0x3F));
  }
  return out;
}

/* From after the backslash; *out moves on. */
static bool read_escape(reader *r, char **out) {
  static const char names[] = "btnfr\"\\";
  static const char values[] = "\b\t\n\f\r\"\\";
  char name = peek(r);
  const char *found = name ? memchr(names, name, sizeof names - 1) : NULL;
  if (found) {
    *(*out)++ = values[found - names];
    r->at++;
    return true;
  }
  if (name != 'u' && name != 'U') return fail(r, "no such escape; in '...' a backslash is itself");
  int count = name == 'u' ? 4 : 8;
  r->at++;
  int64_t c = hex(r, count);
  if (c <= 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return fail(r, "\\%c is no character", name);
  r->at += count;
  *out = put_char(*out, c);
  return true;
}

/* How many bytes there are up to the quote that ends it, or to the end of the line. */
static size_t raw_length(const reader *r, char quote) {
  const char *at = r->at;
  while (at < r->end && *at != quote && *at != '\n') at += *at == '\\' && quote == '"' && r->end - at > 1 ? 2 : 1;
  return (size_t)(at - r->at);
}

/* A string in either kind of quotes.  What is decoded is never longer than what stands there. */
static bool read_string(reader *r, const char **text, size_t *length) {
  char quote = *r->at++;
  if (r->end - r->at >= 2 && r->at[0] == quote && r->at[1] == quote)
    return fail(r, "texts of several lines are not read");
  char *start = st_arena_alloc(r->arena, raw_length(r, quote) + 1), *out = start;
  if (!start) return fail_nomem(r);
  while (peek(r) != quote) {
    unsigned char c = (unsigned char)peek(r);
    if (r->at == r->end || c == '\n' || c == '\r') return fail(r, "a text has no end");
    if ((c < 0x20 && c != '\t') || c == 0x7F) return fail(r, "a control character in a text");
    r->at++;
    if (c != '\\' || quote == '\'')
      *out++ = (char)c;
    else if (!read_escape(r, &out))
      return false;
  }
  r->at++;
  *out = '\0';
  *text = start;
  *length = (size_t)(out - start);
  return st_utf8_valid(start, *length) || fail(r, "not UTF-8");
}

/* ---- values ---- */

static st_toml *read_value(reader *r);

static bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool read_array(reader *r, st_toml *array) {
  if (++r->depth > DEPTH_MAX) return fail(r, "nested too deeply");
  r->at++;
  if (!skip_space(r)) return false;
  while (peek(r) != ']') {
    st_toml *member = read_value(r);
    if (!member) return false;
    append(array, member);
    if (!skip_space(r)) return false;
    if (peek(r) != ',' && peek(r) != ']') return fail(r, "a comma or ] is missing");
    if (peek(r) == ',') r->at++;
    if (!skip_space(r)) return false;
  }
  r->at++;
  r->depth--;
  return true;
}

/* true, false, or a whole number; underscores may stand between digits. */
static bool read_word(reader *r, st_toml *node) {
  char digits[32];
  size_t length = 0;
  const char *start = r->at;
  while (is_bare(peek(r)) || peek(r) == '+' || peek(r) == '.' || peek(r) == ':') r->at++;
  size_t size = (size_t)(r->at - start);
  node->type = ST_TOML_BOOL;
  node->integer = size == 4 && memcmp(start, "true", 4) == 0;
  if (node->integer || (size == 5 && memcmp(start, "false", 5) == 0)) return true;
  node->type = ST_TOML_INT;
  for (size_t i = start[0] == '+'; i < size && length < sizeof digits; i++) {
    bool between = i > 0 && i + 1 < size && start[i - 1] >= '0' && start[i - 1] <= '9' && start[i + 1] >= '0' &&
                   start[i + 1] <= '9';
    if (start[i] != '_' || !between) digits[length++] = start[i];
  }
  bool padded = length > 1 && digits[digits[0] == '-'] == '0' && length > 1u + (digits[0] == '-');
  if (!padded && length < sizeof digits && st_parse_int(digits, length, &node->integer)) return true;
  if (size == 0) return fail(r, "a value is missing");
  return fail(r, "%.*s is no text, whole number, true or false", (int)(size < 60 ? size : 60), start);
}

static st_toml *read_value(reader *r) {
  st_toml *node = new_node(r, ST_TOML_STRING);
  bool good = node != NULL;
  if (!good) return NULL;
  node->start = (size_t)(r->at - r->begin);
  switch (peek(r)) {
    case '"':
    case '\'': good = read_string(r, &node->text, &node->length); break;
    case '[':
      node->type = ST_TOML_ARRAY;
      good = read_array(r, node);
      break;
    case '{': good = fail(r, "inline tables are not read"); break;
    default: good = read_word(r, node);
  }
  node->end = (size_t)(r->at - r->begin);
  return good ? node : NULL;
}

/* ---- keys and tables ---- */

static bool read_key(reader *r, const char **key) {
  size_t length;
  if (peek(r) == '"' || peek(r) == '\'') {
    if (!read_string(r, key, &length)) return false;
  } else {
    const char *start = r->at;
    while (is_bare(peek(r))) r->at++;
    if (r->at == start) return fail(r, "a key is missing");
    *key = st_arena_copy(r->arena, start, (size_t)(r->at - start));
    if (!*key) return fail_nomem(r);
  }
  skip_blank(r);
  return peek(r) != '.' || fail(r, "dotted keys are not read");
}

static bool add_pair(reader *r, st_toml *table) {
  const char *key;
  if (!read_key(r, &key)) return false;
  if (peek(r) != '=') return fail(r, "%.60s is followed by no =", key);
  r->at++;
  skip_blank(r);
  if (st_toml_get(table, key)) return fail(r, "%.60s stands twice", key);
  st_toml *value = read_value(r);
  if (!value) return false;
  value->key = key;
  append(table, value);
  return end_line(r);
}

/* The table that [key] or [[key]] begins. */
static st_toml *open_table(reader *r, st_toml *root, const char *key, bool many) {
  st_toml *found = (st_toml *)st_toml_get(root, key);
  if (found && (!many || found->type != ST_TOML_TABLES)) {
    fail(r, "%.60s stands twice", key);
    return NULL;
  }
  if (!found) {
    found = new_node(r, many ? ST_TOML_TABLES : ST_TOML_TABLE);
    if (!found) return NULL;
    found->key = key;
    append(root, found);
  }
  if (!many) return found;
  st_toml *table = new_node(r, ST_TOML_TABLE);
  if (table) append(found, table);
  return table;
}

static st_toml *read_header(reader *r, st_toml *root) {
  const char *key, *start = r->at++;
  bool many = peek(r) == '[';
  if (many) r->at++;
  skip_blank(r);
  if (!read_key(r, &key)) return NULL;
  for (int i = 0; i <= many; i++, r->at++)
    if (peek(r) != ']') {
      fail(r, "] is missing");
      return NULL;
    }
  st_toml *table = open_table(r, root, key, many);
  if (!table) return NULL;
  table->start = (size_t)(start - r->begin);
  table->end = (size_t)(r->at - r->begin);
  return end_line(r) ? table : NULL;
}

st_toml *st_toml_parse(st_arena *arena, const char *text, size_t length, st_toml_error *error) {
  reader r = {.arena = arena, .at = text, .begin = text, .end = text + length, .line = 1, .error = error};
  *error = (st_toml_error){0};
  st_toml *root = new_node(&r, ST_TOML_TABLE), *table = root;
  while (table && skip_space(&r)) {
    if (r.at == r.end) return root;
    if (peek(&r) == '[')
      table = read_header(&r, root);
    else if (!add_pair(&r, table))
      return NULL;
  }
  return NULL;
}

const st_toml *st_toml_get(const st_toml *table, const char *key) {
  const st_toml *found = table->first;
  while (found && strcmp(found->key, key) != 0) found = found->next;
  return found;
}
