/* jsonc.h - where things stand in JSON that people write: with comments and trailing commas. */
#ifndef CLI_JSONC_H
#define CLI_JSONC_H

#include <stdbool.h>
#include <stddef.h>

typedef struct jsonc_object {
  size_t open; /* behind its { */
  size_t end;  /* behind its } */
  bool empty;  /* it has no member, though perhaps a comment */
} jsonc_object;

/* Offsets into the text; no member is at 0, because a { comes before it. */
typedef struct jsonc_member {
  size_t key, value, end;            /* where they begin; behind the value */
  size_t before;                     /* behind the { or comma before it */
  size_t comma_before, comma_behind; /* 0: none */
} jsonc_member;

/* Over blanks and comments. */
size_t jsonc_skip(const char *text, size_t at);
/* The object that begins there.  False: there is none, or the text is broken. */
bool jsonc_object_at(const char *text, size_t at, jsonc_object *out);
/* The first member of that name; key 0: none. */
jsonc_member jsonc_find(const char *text, const jsonc_object *in, const char *name);

/* The same value as strict JSON without blanks, in new memory; NULL: it is not one. */
char *jsonc_strict(const char *text, size_t length);

#endif
