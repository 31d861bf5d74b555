/* join.c - see join.h. */
#include "search/join.h"

#include <stdlib.h>

/* ---- Any of them ---- */

/* Words whose rows are at hand, the one of the first row on top. */
typedef struct heap {
  st_occurrences **words;
  size_t count;
} heap;

static void sink(heap *h, size_t at) {
  st_occurrences *sinking = h->words[at];
  for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
    if (child + 1 < h->count && h->words[child + 1]->now.number < h->words[child]->now.number) child++;
    if (sinking->now.number <= h->words[child]->now.number) break;
    h->words[at] = h->words[child];
  }
  h->words[at] = sinking;
}

static bool begin(heap *h, st_arena *arena, st_occurrences *words, size_t count) {
  *h = (heap){.words = st_arena_alloc(arena, (count + 1) * sizeof *h->words)};
  if (!h->words) return false;
  for (size_t i = 0; i < count; i++)
    if (words[i].now.number != ST_NO_NUMBER) h->words[h->count++] = &words[i];
  for (size_t at = h->count / 2; at-- > 0;) sink(h, at);
  return true;
}

static void step(heap *h) {
  st_occurrences_next(h->words[0]);
  if (h->words[0]->now.number == ST_NO_NUMBER) h->words[0] = h->words[--h->count];
  if (h->count) sink(h, 0);
}

static int by_place(const void *a, const void *b) {
  uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
  return (one > other) - (one < other);
}

/* The next row, with what all words have in it. */
static bool take_row(heap *h, bool placed, st_spots *at, st_occurrence *row) {
  size_t words = 0;
  bool taken = true;
  *row = h->words[0]->now;
  row->times = 0;
  at->count = 0;
  for (; h->count && h->words[0]->now.number == row->number && taken; words++) {
    row->times += h->words[0]->now.times;
    taken = !placed || st_spots_read(at, h->words[0]);
    step(h);
  }
  if (placed) row->times = (uint32_t)at->count;
  if (words > 1 && at->count > 1) qsort(at->at, at->count, sizeof *at->at, by_place);
  return taken;
}

bool st_join_any(st_arena *arena, st_occurrences *words, size_t count, bool placed, st_occurrences_writer *out) {
  heap h;
  st_spots at = {.arena = arena};
  st_occurrence row;
  bool taken = begin(&h, arena, words, count);
  while (taken && h.count) {
    taken = take_row(&h, placed, &at, &row);
    if (taken) st_occurrences_add(out, row, placed ? at.at : NULL);
  }
  return taken && !st_occurrences_failed(out);
}

/* ---- A phrase ---- */

void st_join_start(st_join *join, st_arena *arena, st_join_word *words, size_t count) {
  *join = (st_join){.words = words, .count = count, .first.arena = arena, .next.arena = arena};
}

int64_t st_join_seek(st_join *join, int64_t number) {
  for (size_t same = 0, i = 0; same < join->count && number != ST_NO_NUMBER; i = (i + 1) % join->count) {
    int64_t found = st_occurrences_seek(&join->words[i].of, number);
    same = found == number ? same + 1 : 1;
    number = found;
  }
  return number;
}

uint32_t st_join_most(const st_join *join) {
  uint32_t least = join->words[0].of.now.times;
  for (size_t i = 1; i < join->count; i++)
    if (join->words[i].of.now.times < least) least = join->words[i].of.now.times;
  return least;
}

static inline bool stands(const st_join_word *word, unsigned char beside) {
  return (!word->before || st_beside_before(beside) == word->before) && (!word->behind || st_beside_behind(beside) == word->behind);
}

/* The places of a word in its row at hand, beside which stands what must.  False: out of memory. */
static bool find_spots(st_join_word *word, st_spots *to) {
  size_t kept = 0;
  to->count = 0;
  const unsigned char *beside = word->before || word->behind ? st_occurrences_beside(&word->of) : NULL;
  if (!st_spots_read(to, &word->of)) return false;
  if (!word->before && !word->behind) return true;
  for (size_t i = 0; beside && i < to->count; i++)
    if (stands(word, beside[i])) to->at[kept++] = to->at[i];
  to->count = kept;
  return true;
}

/* Keep the places of the first behind which, `distance` on, one of the second is. */
static void follow(st_spots *first, const st_spots *second, uint32_t distance) {
  size_t kept = 0;
  for (size_t i = 0, j = 0; i < first->count && j < second->count; i++) {
    while (j < second->count && second->at[j] < first->at[i] + distance) j++;
    if (j < second->count && second->at[j] == first->at[i] + distance) first->at[kept++] = first->at[i];
  }
  first->count = kept;
}

/* How often it is in the row at hand of its only word. */
static uint32_t count_beside(st_join *join) {
  const unsigned char *beside = st_occurrences_beside(&join->words->of);
  uint32_t times = 0;
  for (uint32_t i = 0; beside && i < join->words->of.now.times; i++) times += stands(join->words, beside[i]);
  return times;
}

bool st_join_times(st_join *join, uint32_t *times) {
  bool alone = join->count == 1 && (join->words->before || join->words->behind);
  bool read = alone || find_spots(&join->words[0], &join->first);
  for (size_t i = 1; i < join->count && read && join->first.count; i++) {
    read = find_spots(&join->words[i], &join->next);
    if (read) follow(&join->first, &join->next, join->words[i].offset - join->words[0].offset);
  }
  *times = alone ? count_beside(join) : (uint32_t)join->first.count;
  return read;
}

bool st_join_phrase(st_join *join, st_occurrences_writer *out) {
  bool read = true;
  for (int64_t number = st_join_seek(join, 0); number != ST_NO_NUMBER && read; number = st_join_seek(join, number + 1)) {
    uint32_t length = join->words[0].of.now.length, times = 0;
    read = st_join_times(join, &times);
    if (read && times) st_occurrences_add(out, (st_occurrence){number, times, length}, NULL);
  }
  return read && !st_occurrences_failed(out);
}
