/* ranking.h - rows with an estimate each, taken out of it by their rank. */
#ifndef ST_RANKING_H
#define ST_RANKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct st_ranked {
  float estimate;
  uint32_t row;
} st_ranked;

typedef struct st_ranking {
  st_ranked *items; /* in order from `first` on, once sorted */
  size_t first, count, room;
} st_ranking; /* zeros: empty */

/* false: out of memory. */
bool st_ranking_add(st_ranking *ranking, uint32_t row, float estimate);

/* Put in order, the highest estimate first.  Roughly: those within 1/1024 of what there is between the highest and
** the lowest may be in any order.  false: out of memory. */
bool st_ranking_sort(st_ranking *ranking);

/* The first, if there is one; and do without it. */
static inline const st_ranked *st_ranking_first(const st_ranking *ranking) {
  return ranking->first < ranking->count ? &ranking->items[ranking->first] : NULL;
}
static inline void st_ranking_skip(st_ranking *ranking) { ranking->first++; }

void st_ranking_free(st_ranking *ranking);

#endif
