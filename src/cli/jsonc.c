/* jsonc.c - see jsonc.h. */
#include "jsonc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "text.h"

#define DEPTH_MAX 200
#define BROKEN ((size_t)-1)

size_t jsonc_skip(const char *text, size_t at) {
  for (;;) {
    at += strspn(text + at, " \t\r\n");
    if (strncmp(text + at, "//", 2) == 0) {
      at += strcspn(text + at, "\n");
    } else if (strncmp(text + at, "/*", 2) == 0) {
      const char *end = strstr(text + at + 2, "*/");
      if (!end) return at;
      at = (size_t)(end + 2 - text);
    } else {
      return at;
    }
  }
}

static size_t skip_string(const char *text, size_t at) {
  for (at++; text[at] && text[at] != '"' && text[at] != '\n'; at++)
    if (text[at] == '\\' && text[at + 1]) at++;
  return text[at] == '"' ? at + 1 : BROKEN;
}

static size_t skip_value(const char *text, size_t at, int depth);

/* { or [ and all that is in it.  With `name`, *met becomes the first member called so. */
static size_t skip_members(const char *text, size_t at, int depth, const char *name, jsonc_member *met) {
  char close = text[at] == '{' ? '}' : ']';
  size_t before = ++at, comma = 0;
  if (depth > DEPTH_MAX) return BROKEN;
  for (at = jsonc_skip(text, at); text[at] != close; at = jsonc_skip(text, at)) {
    jsonc_member member = {.key = at, .before = before, .comma_before = comma};
    if (close == '}') {
      if (text[at] != '"' || (at = skip_string(text, at)) == BROKEN) return BROKEN;
      size_t key_end = at;
      at = jsonc_skip(text, at);
      if (text[at++] != ':') return BROKEN;
      at = jsonc_skip(text, at);
      if (name && !met->key) {
        char *key = text_need(strndup(text + member.key, key_end - member.key));
        if (json_is(json_read(key, strlen(key)), name)) met->key = member.key;
        free(key);
      }
    }
    member.value = at;
    if ((at = skip_value(text, at, depth + 1)) == BROKEN) return BROKEN;
    member.end = at;
    at = jsonc_skip(text, at);
    comma = text[at] == ',' ? at : 0;
    member.comma_behind = comma;
    if (name && met->key == member.key) *met = member;
    if (!comma && text[at] != close) return BROKEN;
    if (comma) before = ++at;
  }
  return at + 1;
}

static size_t skip_value(const char *text, size_t at, int depth) {
  if (text[at] == '"') return skip_string(text, at);
  if (text[at] == '{' || text[at] == '[') return skip_members(text, at, depth, NULL, NULL);
  size_t length = strspn(text + at, "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return length ? at + length : BROKEN;
}

bool jsonc_object_at(const char *text, size_t at, jsonc_object *out) {
  if (text[at] != '{') return false;
  size_t end = skip_members(text, at, 0, NULL, NULL);
  if (end == BROKEN) return false;
  *out = (jsonc_object){.open = at + 1, .end = end, .empty = text[jsonc_skip(text, at + 1)] == '}'};
  return true;
}

jsonc_member jsonc_find(const char *text, const jsonc_object *in, const char *name) {
  jsonc_member met = {0};
  skip_members(text, in->open - 1, 0, name, &met);
  return met;
}

char *jsonc_strict(const char *text, size_t length) {
  char *copy = text_need(strndup(text, length)), *strict = NULL;
  size_t size = 0;
  FILE *to = text_need(open_memstream(&strict, &size));
  for (size_t at = jsonc_skip(copy, 0); copy[at]; at = jsonc_skip(copy, at)) {
    size_t end = copy[at] == '"' ? skip_string(copy, at) : at + 1;
    size_t next = copy[at] == ',' ? jsonc_skip(copy, at + 1) : 0;
    if (end == BROKEN) break;
    if (!next || (copy[next] != '}' && copy[next] != ']')) fwrite(copy + at, 1, end - at, to);
    at = end;
  }
  fclose(to);
  text_need(strict);
  free(copy);
  if (json_read(strict, strlen(strict)).text) return strict;
  free(strict);
  return NULL;
}
