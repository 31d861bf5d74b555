/* contents.c - see contents.h. */
#include "engine/contents.h"

#include <string.h>

#include "base/alloc.h"

st_table_contents *st_contents_add(st_contents *contents, const char *name) {
  st_table_contents *more = st_realloc(contents->tables, (contents->count + 1) * sizeof *more);
  if (!more) return NULL;
  contents->tables = more;
  st_table_contents *added = &more[contents->count];
  *added = (st_table_contents){.name = st_strdup(name)};
  if (!added->name) return NULL;
  contents->count++;
  return added;
}

int64_t st_contents_rows(const st_contents *contents) {
  int64_t rows = 0;
  for (size_t i = 0; i < contents->count; i++) rows += contents->tables[i].rows;
  return rows;
}

const char *st_contents_differ(const st_contents *one, const st_contents *other) {
  size_t i = 0;
  for (; i < one->count && i < other->count; i++) {
    const st_table_contents *a = &one->tables[i], *b = &other->tables[i];
    if (strcmp(a->name, b->name) != 0 || a->rows != b->rows || strcmp(a->sha256, b->sha256) != 0) return a->name;
  }
  if (i < one->count) return one->tables[i].name;
  return i < other->count ? other->tables[i].name : NULL;
}

void st_contents_free(st_contents *contents) {
  for (size_t i = 0; i < contents->count; i++) st_free(contents->tables[i].name);
  st_free(contents->tables);
  *contents = (st_contents){NULL, 0};
}
