/* ranked.c - the lists of ranking.h become one. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "search/fuse.h"
#include "search/ranking.h"

#define MEANING 0.5 /* the weight of that list; words have 1 */

static int by_score(const void *a, const void *b) {
  const st_ranked *one = a, *other = b;
  if (one->score != other->score) return one->score > other->score ? -1 : 1;
  size_t length = one->document.id.length, other_length = other->document.id.length;
  if (length != other_length) return length < other_length ? -1 : 1; /* of numbers the earlier one first */
  return strcmp(one->document.id.bytes, other->document.id.bytes);
}

typedef struct lists {
  double *words, *meaning, *fused;
  int *words_rank, *meaning_rank;
} lists;

static bool fuse(st_ranked *hits, int count, const lists *l) {
  const st_arm arms[] = {{1, l->words, l->words_rank}, {MEANING, l->meaning, l->meaning_rank}};
  for (int i = 0; i < count; i++) {
    l->words[i] = hits[i].by_words;
    l->meaning[i] = hits[i].by_meaning;
  }
  if (!st_fuse_arms(arms, 2, count, l->fused)) return false;
  for (int i = 0; i < count; i++) {
    hits[i].score = l->fused[i];
    hits[i].words_rank = l->words_rank[i];
    hits[i].meaning_rank = l->meaning_rank[i];
  }
  if (count) qsort(hits, (size_t)count, sizeof *hits, by_score);
  return true;
}

bool st_ranked_fuse(st_ranked *hits, int count) {
  size_t room = (size_t)count + 1;
  double *numbers = st_alloc(3 * room * sizeof *numbers);
  int *ranks = st_alloc(2 * room * sizeof *ranks);
  bool done = numbers && ranks && fuse(hits, count, &(lists){numbers, numbers + room, numbers + 2 * room, ranks, ranks + room});
  st_free(numbers);
  st_free(ranks);
  return done;
}
