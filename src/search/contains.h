/* contains.h - does a text hold another, whatever the case of either?
**
** Case is folded as Unicode says, in full: STRASSE is found in Straße, ÉCOLE in école.  Nothing else is
** folded: e is not é.  A text takes no memory, however long it is, and time in proportion to its length. */
#ifndef ST_CONTAINS_H
#define ST_CONTAINS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* What is looked for. */
typedef struct st_needle {
  const char *folded;
  size_t length;
  const size_t *shorter; /* by bytes matched, less one: how many are still matched where the next byte does not fit */
} st_needle;

/* Memory is the arena's.  The text is not empty.  False: out of memory. */
bool st_needle_make(st_needle *needle, st_arena *arena, const char *text, size_t length);

bool st_contains(const char *text, size_t length, const st_needle *needle);

#endif
