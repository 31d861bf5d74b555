/* fuse.c - see fuse.h. */
#include "search/fuse.h"

#include "vector/cosine.h"

#define FUSION 60 /* the greater, the less the first ranks stand out */
#define RELEVANCE 0.7 /* against being unlike the others */

static double share(int rank) { return rank ? 1.0 / (FUSION + rank) : 0; }

double st_fuse(int rank, int other_rank) { return share(rank) + share(other_rank); }

static double worth(const st_choice *choice) {
  return RELEVANCE * choice->relevance - (1 - RELEVANCE) * choice->nearest;
}

static int best(const st_choice *from, int count) {
  int found = -1;
  for (int i = 0; i < count; i++)
    if (!from[i].chosen && (found < 0 || worth(&from[i]) > worth(&from[found]))) found = i;
  return found;
}

/* Once one is chosen, those like it are worth less. */
static void compare(st_choice *from, int count, size_t dimension, const st_choice *chosen) {
  for (int i = 0; i < count; i++) {
    if (from[i].chosen || !from[i].vector || !chosen->vector) continue;
    double likeness = st_cosine(from[i].vector, chosen->vector, dimension);
    if (likeness > from[i].nearest) from[i].nearest = likeness;
  }
}

int st_choose(st_choice *from, int count, size_t dimension, int k, int *places) {
  int chosen = 0;
  for (int i = 0; i < count; i++) {
    from[i].nearest = 0;
    from[i].chosen = false;
  }
  for (; chosen < k && chosen < count; chosen++) {
    places[chosen] = best(from, count);
    from[places[chosen]].chosen = true;
    compare(from, count, dimension, &from[places[chosen]]);
  }
  return chosen;
}
