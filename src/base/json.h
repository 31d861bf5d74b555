/* json.h - JSON: a strict reader into an arena, and a writer.
**
** The reader takes RFC 8259 and nothing more: no NaN, no comments, no trailing comma, no raw
** control character, no lone surrogate, no bad UTF-8, one value and then only white space.
** ST_JSON_LENIENT, for text that others wrote, takes lone surrogates and bad UTF-8 (replaced by
** U+FFFD), raw control characters, and NaN, Infinity or a number too large for a double (as null).
** Depth is bounded in both. */
#ifndef ST_JSON_H
#define ST_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef enum st_json_type {
  ST_JSON_NULL,
  ST_JSON_BOOL,
  ST_JSON_INT,  /* no point, no exponent, fits 64 bits (-0 does not) */
  ST_JSON_REAL, /* every other number */
  ST_JSON_STRING,
  ST_JSON_ARRAY,
  ST_JSON_OBJECT
} st_json_type;

typedef struct st_json st_json;
struct st_json {
  st_json_type type;
  bool boolean;
  int64_t integer; /* of an INT */
  double real;     /* of an INT too */
  const char *text; /* of a STRING: decoded, NUL-terminated, may contain NUL */
  size_t length;    /* of a STRING in bytes; of an ARRAY or OBJECT the number of members */
  const char *key; /* when a member of an object: its name, decoded, NUL-terminated */
  size_t key_length;
  st_json *first; /* first member of an ARRAY or OBJECT, in the order of the text */
  st_json *next;  /* next member of the same parent */
  const char *raw; /* this value as it stood in the text, which must outlive it */
  size_t raw_length;
};

#define ST_JSON_LENIENT 1u
#define ST_JSON_MAX_DEPTH 200

typedef struct st_json_error {
  size_t offset;       /* byte at which reading stopped */
  const char *message; /* e.g. "a comma or } is missing"; "out of memory" when it was that */
  bool nomem;
} st_json_error;

/* Read one value.  NULL on failure, with *error filled in. */
st_json *st_json_parse(st_arena *arena, const char *text, size_t length, unsigned flags, st_json_error *error);

/* The member of that name (the last one, if the name is repeated), or NULL. */
const st_json *st_json_get(const st_json *object, const char *key);

/* The characters of one string with its quotes, which fill the text: in the arena, NUL-terminated. */
bool st_json_unquote(st_arena *arena, const char *quoted, size_t size, unsigned flags, const char **text,
                     size_t *length);

/* Writers.  Text that is not UTF-8 is written with U+FFFD in place of the bad bytes. */
void st_json_add_string(st_str *out, const char *text, size_t length);
void st_json_add_real(st_str *out, double value); /* null if not finite */
void st_json_add_int(st_str *out, int64_t value);

#endif
