/* spots.h - places in a row, or in one row behind the other: a list that grows. */
#ifndef ST_SEARCH_SPOTS_H
#define ST_SEARCH_SPOTS_H

#include "base/arena.h"
#include "search/occurrences.h"

typedef struct st_spots {
  st_arena *arena;
  uint32_t *at;
  size_t count, room;
} st_spots;

/* Room for so many more behind those that are there.  NULL: out of memory. */
uint32_t *st_spots_room(st_spots *to, size_t more);

static inline bool st_spots_add(st_spots *to, uint32_t place) {
  uint32_t *room = to->count < to->room ? to->at + to->count : st_spots_room(to, 1);
  if (!room) return false;
  *room = place;
  to->count++;
  return true;
}

/* Add those of a word in its row at hand; none, if its bytes are broken.  False: out of memory. */
bool st_spots_read(st_spots *to, st_occurrences *word);

#endif
