/* numbers.c - see numbers.h: open addressing, at most half full. */
#include "capture/numbers.h"

#include "base/alloc.h"
#include "base/hash.h"

static size_t find(const uint64_t *slots, size_t room, uint64_t number) {
  size_t at = (size_t)st_hash64_mix(number) & (room - 1);
  while (slots[at] && slots[at] != number) at = (at + 1) & (room - 1);
  return at;
}

bool st_numbers_has(const st_numbers *set, uint64_t number) {
  if (number == 0) return set->zero;
  return set->room && set->slots[find(set->slots, set->room, number)] == number;
}

static bool grow(st_numbers *set) {
  size_t room = set->room ? set->room * 2 : 64;
  uint64_t *slots = st_alloc_zero(room * sizeof *slots);
  if (!slots) return false;
  for (size_t i = 0; i < set->room; i++)
    if (set->slots[i]) slots[find(slots, room, set->slots[i])] = set->slots[i];
  st_free(set->slots);
  set->slots = slots;
  set->room = room;
  return true;
}

bool st_numbers_add(st_numbers *set, uint64_t number, bool *added) {
  bool there = st_numbers_has(set, number);
  if (added) *added = !there;
  if (there) return true;
  if (number == 0) {
    set->zero = true;
    return true;
  }
  if (2 * (set->count + 1) > set->room && !grow(set)) return false;
  set->slots[find(set->slots, set->room, number)] = number;
  set->count++;
  return true;
}

void st_numbers_free(st_numbers *set) {
  st_free(set->slots);
  *set = (st_numbers){0};
}
