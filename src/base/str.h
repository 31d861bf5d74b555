/* str.h - a text that grows.  Appending returns nothing: the builder remembers the first failure
** and is asked once, at the end. */
#ifndef ST_STR_H
#define ST_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct st_str {
  char *text;    /* ends in a NUL once something was appended; NULL before */
  size_t length; /* without that NUL */
  size_t room;
  size_t max;    /* longest length it will reach */
  bool failed;   /* out of memory, or longer than max */
} st_str;

void st_str_init(st_str *str, size_t max);
void st_str_add(st_str *str, const char *bytes, size_t length);
void st_str_addz(st_str *str, const char *text);
void st_str_addc(st_str *str, char c);
void st_str_addf(st_str *str, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text, now the caller's (st_free), or NULL if anything failed.  The builder is empty again. */
char *st_str_take(st_str *str);
void st_str_clear(st_str *str); /* empty again, room kept */
void st_str_cut(st_str *str, size_t length); /* only its first bytes stay */
void st_str_free(st_str *str);

#endif
