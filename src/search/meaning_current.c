/* meaning_current.c - does an embedding that was brought count still?  See meaning.h.
**
** What a caller embeds of a row only its store knows: its private method `<store>.embedded_text` tells it, in parts. */
#include <stdio.h>

#include "base/hash.h"
#include "search/meaning_parts.h"

enum { PARTS_MAX = 8, KIND = 0, ID = 1 /* the parameters of embedded_text */ };

uint64_t st_meaning_hash(const st_value *parts, size_t count) {
  uint64_t hash = 0;
  for (size_t i = 0; i < count; i++) {
    bool text = parts[i].type == ST_TEXT;
    hash = st_hash64(hash, text ? parts[i].bytes : "", text ? parts[i].length : 0);
  }
  return hash;
}

bool st_meaning_hash_of(st_call *call, const char *kind, const char *id, uint64_t *out) {
  const st_method *method = st_meaning_own(call, "embedded_text");
  st_value args[] = {[KIND] = st_textz(kind), [ID] = st_textz(id)}, parts[PARTS_MAX];
  if (!method || method->public.nresults > PARTS_MAX || !st_one(call, method->id, args, parts)) return false;
  *out = st_meaning_hash(parts, method->public.nresults);
  return true;
}

const st_method *st_meaning_own(const st_call *call, const char *name) {
  char full[100];
  snprintf(full, sizeof full, "%s.%s", call->store->store->name, name);
  return st_method_find(full);
}

bool st_meaning_is_current(st_call *call, const char *kind, const char *id, const st_meaning_known *known) {
  uint64_t now;
  if (known->origin == ST_ORIGIN_MODEL) return true;
  return st_meaning_hash_of(call, kind, id, &now) && now == known->text_hash;
}
