/* text.h - a piece of text that belongs to somebody else. */
#ifndef ST_TEXT_H
#define ST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct st_text {
  const char *bytes; /* need not end in a NUL; NULL: none */
  size_t length;
} st_text;

static inline st_text st_text_of(const char *text) {
  return (st_text){text, text ? strlen(text) : 0};
}

static inline bool st_text_same(st_text a, st_text b) {
  return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

/* Bytewise, as the stores sort. */
static inline int st_text_compare(st_text a, st_text b) {
  size_t both = a.length < b.length ? a.length : b.length;
  int order = both ? memcmp(a.bytes, b.bytes, both) : 0;
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

static inline bool st_text_is(st_text a, const char *text) {
  return a.bytes && st_text_same(a, st_text_of(text));
}

/* Does it have the word anywhere in it? */
static inline bool st_text_has(st_text a, const char *word) {
  return a.bytes && memmem(a.bytes, a.length, word, strlen(word)) != NULL;
}

#endif
