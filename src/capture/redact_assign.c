/* redact_assign.c - see redact_assign.h.
**
** Written out, not as a pattern: it is asked at every word like "token", most of which are followed by no
** sign of an assignment. */
#include "capture/redact_assign.h"

#include <string.h>
#include <strings.h>

#include "capture/redact_check.h"

#define NAME_MAX_BYTES 80
#define VALUE_LEAST 6
#define VALUE_MAX 2048 /* of what is looked at; a secret that is longer goes as far as it goes */

/* Where the reading is. */
typedef struct cursor {
  const char *text;
  size_t at, length;
} cursor;

static char peek(const cursor *c, size_t ahead) {
  return c->at + ahead < c->length ? c->text[c->at + ahead] : '\0';
}

static bool is_name(char c) {
  return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '-';
}

static size_t skip(cursor *c, const char *these, size_t most) {
  size_t count = 0;
  while (count < most && peek(c, 0) && strchr(these, peek(c, 0))) {
    c->at++;
    count++;
  }
  return count;
}

typedef struct assignment {
  st_span name, value;
  char before; /* what stands before the name */
  bool flag;   /* it is an option: --name */
  bool listed; /* only a comma is between them */
  bool tagged; /* <name>value</name> */
  bool quoted;
  bool setting; /* NAME=value: no code either */
} assignment;

/* The whole name around the literal. */
static void read_name(const cursor *c, size_t after, assignment *a) {
  size_t start = c->at, end = after;
  while (start > 0 && c->at - start < NAME_MAX_BYTES && (is_name(c->text[start - 1]) || c->text[start - 1] == '.'))
    start--;
  /* The n of a line's end in a text within a text is no letter of the name. */
  if (start > 0 && c->text[start - 1] == '\\' && strchr("nrt", c->text[start]) && start < c->at) start++;
  while (end < c->length && end - c->at < NAME_MAX_BYTES && is_name(c->text[end])) end++;
  a->flag = end > start + 2 && c->text[start] == '-';
  a->before = start > 0 ? c->text[start - 1] : '\0';
  a->name = (st_span){start, end};
}

/* A type may stand before the sign: password: str = "...".  Moves to the sign, if so. */
static void skip_type(cursor *c) {
  cursor ahead = *c;
  skip(&ahead, " ", 4);
  size_t start = ahead.at;
  while (ahead.at - start < 40 &&
         (is_name(peek(&ahead, 0)) || (peek(&ahead, 0) && strchr(".<>[]|?&* ", peek(&ahead, 0)))))
    ahead.at++;
  if (ahead.at > start && peek(&ahead, 0) == '=' && peek(&ahead, 1) != '=') c->at = ahead.at;
}

/* From behind the name to where its value begins.  False: nothing is assigned. */
static bool read_sign(cursor *c, assignment *a) {
  bool closed = skip(c, "\\\"'`])", 6) > 0;
  size_t blanks = skip(c, " \t", 8);
  char sign = peek(c, 0), next = peek(c, 1);
  if (sign == ':' && next != ':') {
    c->at++;
    if (next != '=') skip_type(c);
    if (peek(c, 0) == '=') c->at++;
  } else if ((sign == '=' && next != '=' && next != '~') || (sign == '?' && next == '=')) {
    c->at += next == '>' || sign == '?' ? 2 : 1;
  } else if (sign == '>' && a->before == '<' && !blanks && !closed) {
    a->tagged = true;
    c->at++;
    return true;
  } else if (sign == ',' && closed && (a->before == '"' || a->before == '\'')) {
    a->listed = true;
    c->at++;
  } else {
    return a->flag && blanks > 0 && !closed;
  }
  skip(c, " \t", 8);
  return true;
}

/* Up to the quote that began it; on one line. */
static bool read_quoted(cursor *c, assignment *a) {
  size_t slashes = skip(c, "\\", 4), start = c->at + 1, end = start;
  char quote = peek(c, 0);
  while (end < c->length && end - start < VALUE_MAX && c->text[end] != quote && c->text[end] != '\n') end++;
  if (end - start < VALUE_MAX && (end == c->length || c->text[end] != quote)) return false;
  if (slashes && end - start > slashes) end -= slashes; /* those before the quote that ends it */
  a->quoted = true;
  a->value = (st_span){start, end};
  return true;
}

/* A line of an environment file: what stands behind the sign is the value, up to its end. */
static bool is_setting(const cursor *c, const assignment *a) {
  for (size_t i = a->name.start; i < a->name.end; i++)
    if (c->text[i] >= 'a' && c->text[i] <= 'z') return false;
  return c->at == a->name.end + 1 && (a->before == '\n' || a->before == '\0' || a->before == ' ');
}

static bool read_bare(cursor *c, assignment *a) {
  a->setting = is_setting(c, a);
  const char *stops = a->setting ? "\"'`\\" : a->tagged ? "<\"\\" : "\"'`\\<>,;&|(){}[]";
  size_t end = c->at;
  while (end < c->length && end - c->at < VALUE_MAX && (unsigned char)c->text[end] > ' ' &&
         !strchr(stops, c->text[end]))
    end++;
  char next = end < c->length ? c->text[end] : '\0';
  if (a->tagged && (next != '<' || end + 1 >= c->length || c->text[end + 1] != '/')) return false;
  if (next == '(' || next == '[' || next == '{' || (next == '<' && !a->tagged)) return false;
  while (end > c->at && strchr(".,:", c->text[end - 1])) end--;
  a->value = (st_span){c->at, end};
  return end > c->at;
}

static bool read_value(cursor *c, assignment *a) {
  if (peek(c, 0) && strchr("rbfuRBFU", peek(c, 0)) && (peek(c, 1) == '"' || peek(c, 1) == '\'')) c->at++;
  size_t slashes = 0;
  while (peek(c, slashes) == '\\' && slashes < 4) slashes++;
  char first = peek(c, slashes);
  if (first == '"' || first == '\'' || first == '`') return read_quoted(c, a);
  return !slashes && !a->listed && read_bare(c, a);
}

/* The rest of a secret that is longer than what was looked at. */
static void extend(const cursor *c, assignment *a) {
  if (a->value.end - a->value.start < VALUE_MAX) return;
  while (a->value.end < c->length && (is_name(c->text[a->value.end]) || strchr("+/=.", c->text[a->value.end]))) {
    if (!c->text[a->value.end]) break;
    a->value.end++;
  }
}

/* Of a service whose keys look like any id. */
static bool is_uuid_key(const cursor *c, const assignment *a) {
  const char *name = c->text + a->name.start;
  if (a->value.end - a->value.start != 36) return false;
  for (size_t i = 0; i + 6 <= a->name.end - a->name.start; i++)
    if (strncasecmp(name + i, "heroku", 6) == 0) return true;
  return false;
}

bool st_find_assigned(const char *text, size_t length, size_t at, size_t after, st_span *secret) {
  cursor c = {text, at, length};
  assignment a = {.flag = false};
  read_name(&c, after, &a);
  c.at = a.name.end;
  if (!read_sign(&c, &a) || !read_value(&c, &a) || a.value.end - a.value.start < VALUE_LEAST) return false;
  st_secrecy secrecy = st_name_secrecy(text + a.name.start, a.name.end - a.name.start);
  if (a.listed && secrecy == ST_SECRECY_PASSWORD) secrecy = ST_SECRECY_TOKEN;
  if (secrecy == ST_SECRECY_NONE) return false;
  if (!st_value_is_secret(text + a.value.start, a.value.end - a.value.start, secrecy, a.quoted || a.setting) &&
      !is_uuid_key(&c, &a))
    return false;
  extend(&c, &a);
  *secret = a.value;
  return true;
}
