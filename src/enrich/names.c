/* names.c - see names.h. */
#include "enrich/names.h"

#include <strings.h>

#include "base/utf8.h"

static const struct {
  const char *entity, *list;
  size_t most;
} TYPES[] = {
#define X(constant, type, list, most) {type, list, most},
    ST_NAME_TYPES(X)
#undef X
};
#define X(constant, type, list, most) _Static_assert((most) <= ST_NAMES_MOST, "there is room for them");
ST_NAME_TYPES(X)
#undef X

const char *st_name_entity(st_name_type type) { return TYPES[type].entity; }
const char *st_name_list(st_name_type type) { return TYPES[type].list; }

bool st_names_have(const st_names *names, st_name_type type, st_text name) {
  for (size_t i = 0; i < names->count[type]; i++) {
    st_text known = names->of[type][i];
    if (known.length == name.length && strncasecmp(known.bytes, name.bytes, name.length) == 0) return true;
  }
  return false;
}

void st_names_add(st_names *names, st_name_type type, st_text name) {
  if (name.length == 0 || name.length > ST_NAME_MAX || names->count[type] >= TYPES[type].most) return;
  if (!st_utf8_valid(name.bytes, name.length) || st_names_have(names, type, name)) return;
  char *copy = st_arena_copy(names->arena, name.bytes, name.length);
  if (copy) names->of[type][names->count[type]++] = (st_text){copy, name.length};
  else names->failed = true;
}
