/* toml.h - settings in a strict part of TOML, read into an arena.
**
** Taken: comments, [table], [[array of tables]], bare and quoted keys, basic and literal strings on one
** line, whole numbers, true and false, arrays of these over any number of lines.  Everything else of TOML
** (dotted keys, inline tables, dates, reals, texts of several lines) is refused by name, and so is a key
** that stands twice: an error names its line. */
#ifndef ST_TOML_H
#define ST_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum st_toml_type {
  ST_TOML_STRING,
  ST_TOML_INT,
  ST_TOML_BOOL,
  ST_TOML_ARRAY,
  ST_TOML_TABLE,
  ST_TOML_TABLES /* an array of tables: its members are tables */
} st_toml_type;

typedef struct st_toml st_toml;
struct st_toml {
  st_toml_type type;
  int line;        /* where it stands, from 1 */
  size_t start, end; /* the bytes of the text that are this value; of a table its header, [[tables]] have none */
  const char *key; /* of a member of a table; NULL in an array */
  const char *text; /* of a STRING: UTF-8, NUL-terminated, holds no NUL */
  size_t length;
  int64_t integer; /* of an INT; of a BOOL 0 or 1 */
  st_toml *first;  /* members, in the order of the text */
  st_toml *last;
  st_toml *next;
};

typedef struct st_toml_error {
  int line;
  char message[200];
  bool nomem;
} st_toml_error;

/* Read a whole text; answers its outermost table.  NULL on failure, with *error filled in. */
st_toml *st_toml_parse(st_arena *arena, const char *text, size_t length, st_toml_error *error);

/* The member of that name, or NULL. */
const st_toml *st_toml_get(const st_toml *table, const char *key);

#endif
