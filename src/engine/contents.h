/* contents.h - what a file holds, table by table: how many rows, and a hash of them.
**
** Two files with the same contents answer every question alike: the hash is of every value of every row, with its type and
** its row number, in the order of the table. */
#ifndef ST_CONTENTS_H
#define ST_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

typedef struct st_table_contents {
  char *name;
  int64_t rows;
  char sha256[ST_SHA256_TEXT];
} st_table_contents;

typedef struct st_contents {
  st_table_contents *tables; /* by name */
  size_t count;
} st_contents;

/* One more, without rows yet; NULL: out of memory. */
st_table_contents *st_contents_add(st_contents *contents, const char *name);
int64_t st_contents_rows(const st_contents *contents);
/* The first table in which they differ, or NULL. */
const char *st_contents_differ(const st_contents *one, const st_contents *other);
void st_contents_free(st_contents *contents);

#endif
