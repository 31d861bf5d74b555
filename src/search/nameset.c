/* nameset.c - see nameset.h. */
#include "search/nameset.h"

#include <string.h>

#include "search/hash.h"

/* Where the name is, or would be. */
static const char **slot_of(const st_nameset *set, const char *name, size_t length) {
  size_t at = st_hash(name, length) & set->mask;
  while (set->slots[at] && (strncmp(set->slots[at], name, length) != 0 || set->slots[at][length])) at = (at + 1) & set->mask;
  return &set->slots[at];
}

bool st_nameset_make(st_arena *arena, const char *const *names, size_t count, st_nameset *out) {
  size_t slots = 16;
  while (slots < 2 * count) slots *= 2;
  *out = (st_nameset){.slots = st_arena_zero(arena, slots * sizeof *out->slots), .mask = slots - 1};
  for (size_t i = 0; out->slots && i < count; i++) *slot_of(out, names[i], strlen(names[i])) = names[i];
  return out->slots != NULL;
}

bool st_nameset_has(const st_nameset *set, const char *name, size_t length) { return *slot_of(set, name, length) != NULL; }
