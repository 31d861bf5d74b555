/* alloc.c - the one door to malloc. */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

bool (*st_alloc_fails)(void) = NULL;

static bool refused(void) {
  return st_alloc_fails && st_alloc_fails();
}

/* malloc(0) may return NULL, which callers would take for being out of memory. */
static size_t at_least_one(size_t size) {
  return size ? size : 1;
}

void *st_alloc(size_t size) {
  return refused() ? NULL : malloc(at_least_one(size));
}

void *st_alloc_zero(size_t size) {
  return refused() ? NULL : calloc(1, at_least_one(size));
}

void *st_realloc(void *old, size_t size) {
  return refused() ? NULL : realloc(old, at_least_one(size));
}

void st_free(void *pointer) {
  free(pointer);
}

char *st_strdup(const char *text) {
  return st_strndup(text, strlen(text));
}

char *st_strndup(const char *text, size_t length) {
  size_t found = strnlen(text, length);
  char *copy = st_alloc(found + 1);
  if (!copy) return NULL;
  memcpy(copy, text, found);
  copy[found] = '\0';
  return copy;
}
