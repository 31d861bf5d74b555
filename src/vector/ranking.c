/* ranking.c - see ranking.h. */
#include "vector/ranking.h"

#include <math.h>

#include "base/alloc.h"

enum { LEVELS = 1024, ROOM = 4096 };

bool st_ranking_add(st_ranking *ranking, uint32_t row, float estimate) {
  if (ranking->count == ranking->room) {
    size_t room = ranking->room ? ranking->room * 2 : ROOM;
    st_ranked *items = st_realloc(ranking->items, room * sizeof *items);
    if (!items) return false;
    ranking->items = items;
    ranking->room = room;
  }
  ranking->items[ranking->count++] = (st_ranked){estimate, row};
  return true;
}

static size_t level_of(const st_ranked *item, float high, float width) { return (size_t)((high - item->estimate) * width); }

/* By counting: how many are on each level says where it begins. */
bool st_ranking_sort(st_ranking *ranking) {
  size_t count = ranking->count - ranking->first, starts[LEVELS + 1] = {0};
  float high = -INFINITY, low = INFINITY;
  if (count < 2) return true;
  const st_ranked *from = ranking->items + ranking->first;
  st_ranked *sorted = st_alloc(count * sizeof *sorted);
  if (!sorted) return false;
  for (size_t i = 0; i < count; i++) {
    high = from[i].estimate > high ? from[i].estimate : high;
    low = from[i].estimate < low ? from[i].estimate : low;
  }
  float width = high > low ? (LEVELS - 1) / (high - low) : 0;
  for (size_t i = 0; i < count; i++) starts[level_of(&from[i], high, width) + 1]++;
  for (size_t i = 0; i < LEVELS; i++) starts[i + 1] += starts[i];
  for (size_t i = 0; i < count; i++) sorted[starts[level_of(&from[i], high, width)]++] = from[i];
  st_free(ranking->items);
  *ranking = (st_ranking){.items = sorted, .count = count, .room = count};
  return true;
}

void st_ranking_free(st_ranking *ranking) {
  st_free(ranking->items);
  *ranking = (st_ranking){0};
}
