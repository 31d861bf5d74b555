/* line.h - a line that is being typed.  Pure: it knows no terminal. */
#ifndef CLI_TERMINAL_LINE_H
#define CLI_TERMINAL_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "key.h"

typedef struct line {
  char text[1024]; /* UTF-8 */
  size_t length;
  size_t at; /* where the cursor is, in bytes */
} line;

/* Let a key change the line.  True: its text is another. */
bool line_edit(line *l, const key *k);

void line_clear(line *l);

#endif
