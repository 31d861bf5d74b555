/* wrap.c - see wrap.h. */
#include "wrap.h"

#include <stdbool.h>

#include "../text.h"

/* The bytes of the newline at text, with a carriage return before it or without; 0: there is none. */
static size_t newline(const char *text) {
  return text[0] == '\n' ? 1 : text[0] == '\r' && text[1] == '\n' ? 2 : 0;
}

size_t wrap_line(const char *text, size_t columns, size_t *next) {
  size_t at = 0, used = 0, word = 0, wide; /* word: the end of the last that fits */
  while (text[at] && !newline(text + at)) {
    size_t bytes = text_character(text + at, &wide);
    if (used + wide > columns && at > 0) break;
    bool space = text[at] == ' ' || text[at] == '\t';
    if (space && at > 0 && text[at - 1] != ' ' && text[at - 1] != '\t') word = at;
    at += bytes;
    used += wide;
  }
  size_t end = at;
  if (!text[at] || newline(text + at)) {
    *next = at + newline(text + at);
    return end;
  }
  if (text[at] != ' ' && text[at] != '\t' && word > 0) end = word;
  *next = end;
  while (text[*next] == ' ' || text[*next] == '\t') ++*next;
  *next += newline(text + *next);
  return end;
}
