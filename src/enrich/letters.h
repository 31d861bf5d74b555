/* letters.h - what a byte is, whatever the locale; and pieces of text. */
#ifndef ST_LETTERS_H
#define ST_LETTERS_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

static inline bool st_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool st_is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static inline bool st_is_lower(char c) { return c >= 'a' && c <= 'z'; }
static inline bool st_is_alnum(char c) { return st_is_digit(c) || st_is_upper(c) || st_is_lower(c); }
static inline bool st_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

static inline bool st_text_begins(st_text text, const char *with) {
  size_t length = strlen(with);
  return text.length >= length && memcmp(text.bytes, with, length) == 0;
}

static inline bool st_text_ends(st_text text, const char *with) {
  size_t length = strlen(with);
  return text.length >= length && memcmp(text.bytes + text.length - length, with, length) == 0;
}

static inline st_text st_text_from(st_text text, size_t offset) {
  return offset < text.length ? (st_text){text.bytes + offset, text.length - offset} : (st_text){"", 0};
}

static inline st_text st_text_trim(st_text text) {
  while (text.length && st_is_blank(text.bytes[0])) text = st_text_from(text, 1);
  while (text.length && st_is_blank(text.bytes[text.length - 1])) text.length--;
  return text;
}

/* Where the character is; the length, if nowhere. */
static inline size_t st_text_find(st_text text, char c) {
  const char *at = text.length ? memchr(text.bytes, c, text.length) : NULL;
  return at ? (size_t)(at - text.bytes) : text.length;
}

/* What stands behind the last slash. */
static inline st_text st_path_base(st_text path) {
  size_t at = path.length;
  while (at > 0 && path.bytes[at - 1] != '/') at--;
  return st_text_from(path, at);
}

/* Is the text one of the words of a list with blanks between, which begins and ends with one? */
static inline bool st_text_listed(st_text text, const char *list) {
  if (text.length == 0 || memchr(text.bytes, ' ', text.length)) return false;
  for (const char *at = list; (at = memmem(at, strlen(at), text.bytes, text.length)) != NULL; at++)
    if (at[-1] == ' ' && at[text.length] == ' ') return true; /* a list begins with a blank, so at is not its first byte */
  return false;
}

/* The next line of a text, which becomes shorter by it; false: there is none. */
static inline bool st_text_line(st_text *text, st_text *line) {
  if (text->length == 0) return false;
  size_t length = st_text_find(*text, '\n');
  *line = (st_text){text->bytes, length};
  *text = st_text_from(*text, length + 1);
  return true;
}

/* The next piece without white space in it. */
static inline bool st_text_token(st_text *text, st_text *token) {
  while (text->length && st_is_blank(text->bytes[0])) *text = st_text_from(*text, 1);
  size_t length = 0;
  while (length < text->length && !st_is_blank(text->bytes[length])) length++;
  *token = (st_text){text->bytes, length};
  *text = st_text_from(*text, length);
  return length > 0;
}

#endif
