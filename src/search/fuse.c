/* fuse.c - see fuse.h. */
#include "search/fuse.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "vector/cosine.h"

#define FUSION 60 /* the greater, the less the first ranks stand out */
#define RELEVANCE 0.7 /* against being unlike the others */

static double share(int rank) { return rank ? 1.0 / (FUSION + rank) : 0; }

double st_fuse(int rank, int other_rank) { return share(rank) + share(other_rank); }

typedef struct placed {
  double score;
  int row;
} placed;

/* Best first. */
static int compare_placed(const void *a, const void *b) {
  double p = ((const placed *)a)->score, q = ((const placed *)b)->score;
  return (p < q) - (p > q);
}

static void add_arm(const st_arm *arm, int count, placed *order, double *fused) {
  int listed = 0;
  for (int i = 0; i < count; i++) {
    arm->ranks[i] = 0;
    if (arm->scores[i] > 0) order[listed++] = (placed){arm->scores[i], i};
  }
  qsort(order, (size_t)listed, sizeof *order, compare_placed);
  for (int i = 0, rank = 1; i < listed; i++) {
    if (i > 0 && order[i].score < order[i - 1].score) rank = i + 1;
    arm->ranks[order[i].row] = rank;
    fused[order[i].row] += arm->weight * order[i].score / order[0].score * share(rank);
  }
}

bool st_fuse_arms(const st_arm *arms, int narms, int count, double *fused) {
  placed *order = st_alloc(((size_t)count + 1) * sizeof *order);
  if (!order) return false;
  for (int i = 0; i < count; i++) fused[i] = 0;
  for (int i = 0; i < narms; i++) add_arm(&arms[i], count, order, fused);
  st_free(order);
  return true;
}

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
