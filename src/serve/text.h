/* text.h - a growing text.  What is added after memory ran out is lost, and `failed` says so: it is
** asked once, at the end. */
#ifndef SERVE_TEXT_H
#define SERVE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sv_text {
  char *bytes; /* with a NUL behind it, once something was added */
  size_t length, room;
  bool failed;
} sv_text;

void sv_add(sv_text *text, const char *bytes, size_t length);
void sv_addz(sv_text *text, const char *words);
void sv_addf(sv_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A text as a part of a line of words: what would end the line, or move a cursor, is a ?. */
void sv_add_words(sv_text *text, const char *words);
/* As a JSON string, in its quotes; bytes that are not UTF-8 become U+FFFD. */
void sv_add_quoted(sv_text *text, const char *words);
/* ,"name":"words" */
void sv_add_member(sv_text *text, const char *name, const char *words);

void sv_text_free(sv_text *text);
/* The bytes, now the caller's (free); NULL when it failed. */
char *sv_text_take(sv_text *text);

/* Bytes as hexadecimal digits, with a NUL behind them. */
void sv_hex(char *out, const unsigned char *bytes, size_t count);

/* Decode %xx (and + as a space, in a query) into new memory; NULL: no memory, or a NUL or a bad escape in it. */
char *sv_decode(const char *bytes, size_t length, bool query);

#endif
