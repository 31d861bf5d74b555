/* wrap.h - a text as lines of at most so many columns.  Pure. */
#ifndef CLI_TERMINAL_WRAP_H
#define CLI_TERMINAL_WRAP_H

#include <stddef.h>

/* The bytes of the line that a text begins with: up to a newline, or as many words as fit, or as much of a word as fits, but
** never nothing.  *next: where the next line begins, behind the spaces or the newline between them. */
size_t wrap_line(const char *text, size_t columns, size_t *next);

#endif
