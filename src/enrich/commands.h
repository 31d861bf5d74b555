/* commands.h - a line of a shell, taken apart as the shell would: simple commands, and their words without quotes.
**
** What is inside $(...), `...` and here-documents is not looked into.  A line that ends inside a quote is taken as it is: lines that
** were cut are common. */
#ifndef ST_COMMANDS_H
#define ST_COMMANDS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

#define ST_WORDS_MAX 64 /* of a simple command; further ones are left out */

typedef struct st_word {
  st_text text;
  bool quoted;    /* some of it was */
  bool expands;   /* it has something that the shell would have replaced */
  bool redirects; /* it names a file that is read or written */
} st_word;

typedef struct st_simple {
  st_word words[ST_WORDS_MAX];
  size_t count;
} st_simple;

typedef struct st_commands {
  const char *at, *end;
  char *to;        /* where words are written, in the arena */
  st_text heredoc; /* what ends the here-document that begins with the next line; empty: none does */
  bool failed;     /* no memory */
} st_commands;

#define ST_COMMAND_MAX ((size_t)16 << 10) /* bytes of a line that are looked at */

st_commands st_commands_of(st_arena *arena, st_text line);
/* The next one, which may have no words; false: there is none. */
bool st_commands_next(st_commands *from, st_simple *out);

#endif
