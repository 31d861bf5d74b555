/* tools.h - what is known of programs by their names. */
#ifndef ST_TOOLS_H
#define ST_TOOLS_H

#include <stdbool.h>

#include "base/text.h"

enum {
  ST_TOOL_VERBS = 1,    /* its first argument says what is done: git rebase */
  ST_TOOL_BUILTIN = 2,  /* of the shell, or so common that it says nothing: no entity */
  ST_TOOL_ASKS = 4,     /* that it fails is an answer: grep, diff, test */
  ST_TOOL_PATTERN = 8,  /* its first argument is a pattern or a program */
  ST_TOOL_READS = 16,   /* its arguments are files, also without an ending */
  ST_TOOL_TALKS = 32,   /* its arguments are texts: echo */
  ST_TOOL_WRAPS = 64,   /* what it is told to run is what counts: sudo */
};

typedef struct st_tool {
  const char *name;
  unsigned flags;
  const char *tags; /* words of a list with blanks between; "" */
} st_tool;

/* What is known of it; NULL: nothing. */
const st_tool *st_tool_find(st_text name);

/* The language that a file's ending tells; NULL: none. */
const char *st_language_of(st_text file);

#endif
