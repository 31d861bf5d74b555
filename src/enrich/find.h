/* find.h - rules that find what texts speak about.  Each adds to the names what it is sure of: a name that is missing is found by search
** all the same, a wrong one misleads. */
#ifndef ST_FIND_H
#define ST_FIND_H

#include <stdint.h>

#include "enrich/commands.h"
#include "enrich/names.h"
#include "enrich/tools.h"

/* ---- find_files.c ---- */

/* Is it the name of a file?  Then what is left of it without line numbers, quotes and punctuation; else empty. */
st_text st_file_named(st_text word);
/* The same for a word among other words of a language, where more is needed to be sure. */
st_text st_file_in_prose(st_text word);

/* Files with a line number behind them, in what a program that failed said. */
void st_find_locations(st_names *names, st_text text);

/* ---- find_web.c ---- */

/* Addresses in a text: domains, repositories of forges, databases and servers by their ports. */
void st_find_addresses(st_names *names, st_text text);

/* ---- find_errors.c ---- */

typedef enum st_trust {
  ST_TRUST_ALL,    /* what a command that failed said */
  ST_TRUST_STRONG, /* what one said that did not: only lines that report an error in so many words */
  ST_TRUST_PROSE   /* what people and agents say */
} st_trust;

/* Classes of exceptions, codes and well-known sentences.  Answers the line that tells most, or an empty text. */
st_text st_find_errors(st_names *names, st_text text, st_trust trust);
/* What an exit status says by itself: signals, and commands that do not exist. */
void st_find_exit(st_names *names, int64_t status);

/* ---- find_services.c ---- */

/* Units, containers, images, databases and hosts that a command names. */
void st_find_services(st_names *names, const st_simple *command, size_t first);

/* ---- find_command.c ---- */

typedef struct st_line {
  st_text tool;  /* the first program of it that says something; empty: there is none */
  st_text verb;  /* and what it was told to do, if it has verbs */
  unsigned flags; /* of that program */
  bool telling;  /* there is a program that says something */
} st_line;

/* What a line of a shell speaks about.  False: out of memory. */
bool st_find_command(st_names *names, st_text line, bool exists, st_line *out);

/* ---- find_prose.c ---- */

/* Files, addresses, errors, variables and commands in backquotes that a text speaks about. */
void st_find_prose(st_names *names, st_text text);
/* The project and the repository. */
void st_find_project(st_names *names, st_text cwd, st_text repo);

#endif
