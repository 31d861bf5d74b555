/* spots.c - see spots.h. */
#include "search/spots.h"

#include <string.h>

uint32_t *st_spots_room(st_spots *to, size_t more) {
  size_t count = to->count + more;
  if (count > to->room) {
    uint32_t *grown = st_arena_alloc(to->arena, 2 * count * sizeof *grown);
    if (!grown) return NULL;
    if (to->count) memcpy(grown, to->at, to->count * sizeof *grown);
    to->at = grown;
    to->room = 2 * count;
  }
  return to->at + to->count;
}

bool st_spots_read(st_spots *to, st_occurrences *word) {
  if (!st_occurrences_have_places(word)) return true;
  uint32_t *room = st_spots_room(to, word->now.times);
  if (!room) return false;
  st_occurrences_places(word, room);
  to->count += word->now.times;
  return true;
}
