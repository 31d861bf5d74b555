/* text.h - texts on their way to a terminal or into JSON. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The memory, or the end of the program: "out of memory", exit status 1. */
void *text_need(void *memory);

/* printf into new memory. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Is all of it UTF-8? */
bool text_valid(const char *text);

/* The length in bytes of the character at text; *columns: how wide a terminal shows it.  A byte that
** is not UTF-8 is a character of one column. */
size_t text_character(const char *text, size_t *columns);

/* How many columns a terminal needs for a clean text. */
size_t text_width(const char *text);

/* The length in bytes of what fits into so many columns. */
size_t text_fit(const char *text, size_t columns);

/* Would a terminal obey the character rather than show it?  Those that move the cursor, change colours or the direction of
** the text; also what is no UTF-8, and the end of the text. */
bool text_obeyed(const char *text);

/* A copy that a terminal only shows and never obeys: one line of UTF-8 without control characters. */
char *text_clean(const char *text);

/* As a word of a shell command that can be copied, in new memory. */
char *text_shell(const char *word);

/* Write it as a JSON string.  Bytes that are not UTF-8 become U+FFFD. */
void text_json(FILE *to, const char *text);
/* The same into new memory; NULL if it is not UTF-8, as replacing bytes would change an argument. */
char *text_quote(const char *text);

#endif
