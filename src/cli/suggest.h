/* suggest.h - did you mean ...? */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/* What was typed, and the nearest of the names offered so far. */
typedef struct suggestion {
  const char *typed;
  const char *best; /* NULL: none is near */
  size_t edits;     /* between the two */
} suggestion;

suggestion suggest(const char *typed);
void suggest_offer(suggestion *to, const char *name);

/* "did you mean NAME?" in new memory; without a near name a copy of `otherwise`. */
char *suggest_hint(const suggestion *from, const char *otherwise);

#endif
