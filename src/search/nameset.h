/* nameset.h - is a name one of many? */
#ifndef ST_SEARCH_NAMESET_H
#define ST_SEARCH_NAMESET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct st_nameset {
  const char **slots; /* NULL: free */
  size_t mask;
} st_nameset;

/* Of names that live as long as it does.  False: out of memory. */
bool st_nameset_make(st_arena *arena, const char *const *names, size_t count, st_nameset *out);

bool st_nameset_has(const st_nameset *set, const char *name, size_t length);

#endif
