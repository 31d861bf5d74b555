/* redact_scan.h - many short literals, looked for in one pass.
**
** Every three bytes of the text are looked up in a table of bits that fits the
** processor's nearest cache; only where its bit is set are the literals that begin so compared. */
#ifndef ST_REDACT_SCAN_H
#define ST_REDACT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ST_SCAN_BITS 15
#define ST_SCAN_LITERAL 32 /* longest literal */
#define ST_SCAN_SHORTEST 3

typedef struct st_literal {
  char bytes[ST_SCAN_LITERAL]; /* in lower case, unless exact */
  uint8_t length;
  bool exact;    /* case matters */
  bool word;     /* no letter or digit stands before it */
  uint16_t rule; /* whose it is */
  uint16_t next; /* of the same three bytes; 0: none */
} st_literal;

typedef struct st_scan {
  uint64_t filter[(1 << ST_SCAN_BITS) / 64];
  uint16_t first[1 << ST_SCAN_BITS]; /* number of the literal, from 1; 0: none */
  st_literal *literals;
  uint16_t count, room;
} st_scan;

/* Add the literals that a pattern stands for: bytes, and sets of them as in "SK[0-9a-f]".  False with
** *nomem false: it is too long or too short, or has no end. */
bool st_scan_add(st_scan *scan, const char *pattern, size_t length, bool exact, bool word, uint16_t rule, bool *nomem);
void st_scan_free(st_scan *scan);

/* The first position from `at` on where a literal may begin, or the length. */
size_t st_scan_next(const st_scan *scan, const char *text, size_t length, size_t at);

/* The literals that stand at a position: the first, then the next ones.  NULL: there is none (more). */
const st_literal *st_scan_at(const st_scan *scan, const char *text, size_t length, size_t at, const st_literal *after);

#endif
