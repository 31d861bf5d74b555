/* words.h - a text that grows: JSON for a call.  What goes wrong is asked once, at the end. */
#ifndef FORGE_WORDS_H
#define FORGE_WORDS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct words {
  FILE *to;
  char *text;
  size_t length;
  bool failed;
} words;

void words_begin(words *w);
void words_format(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* ,"name":"text" */
void words_member(words *w, const char *name, const char *text);
/* The text in new memory; NULL: no memory, or something failed. */
char *words_end(words *w);

#endif
