/* near.c - see near.h. */
#include "vector/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "vector/code.h"
#include "vector/kernel.h"

/* How many standard deviations an estimate may be off.  Measured, not derived: bench/vector tells what of the
** nearest is then found. */
#ifndef BITS_OFF
#define BITS_OFF 2.0
#define ESTIMATE_OFF 2.2
#endif

enum {
  FIRST_LOOK = 2048,     /* codes estimated before the nearest are known a little */
  FETCH = 128,           /* vectors fetched at a time */
  ESTIMATES_PART = 4,    /* at most 1 / this of all codes are estimated, while there are enough */
  EXACT_MOST = 16384,    /* vectors fetched, while there are enough */
  LEVELS = 512,          /* in which estimates are put in order */
};
#define NOT_ALLOWED UINT16_MAX

enum { GROUP = 8 };
typedef uint16_t group __attribute__((vector_size(GROUP * sizeof(uint16_t))));

typedef struct candidate {
  float estimate;
  uint32_t row;
} candidate;

typedef struct finder {
  const st_near_search *search;
  const st_kernel *kernel;
  st_code_query query;
  size_t dimension, words, rows, k;
  uint16_t *distances;   /* of every row */
  uint32_t *histogram;   /* rows at each distance */
  double squares;        /* of the query: their sum */
  long estimated;        /* up to this distance all were */
  candidate *candidates; /* estimated, not compared yet */
  size_t waiting, room;
  float *vectors;        /* of FETCH rows */
  st_near *best;         /* a heap, the farthest on top */
  size_t found;
  size_t compared;
  st_codes_result result;
  bool stopped;
} finder;

/* ---- the nearest so far ---- */

static bool is_farther(const st_near *a, const st_near *b) {
  return a->similarity != b->similarity ? a->similarity < b->similarity : a->number > b->number;
}

static void sift_down(st_near *heap, size_t count, size_t at) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_farther(&heap[child + 1], &heap[child])) child++;
    if (!is_farther(&heap[child], &heap[at])) return;
    st_near swapped = heap[at];
    heap[at] = heap[child];
    heap[child] = swapped;
  }
}

static void offer(finder *f, st_near near) {
  if (f->found < f->k) {
    f->best[f->found++] = near;
    if (f->found == f->k)
      for (size_t i = f->found / 2; i-- > 0;) sift_down(f->best, f->found, i);
  } else if (is_farther(&f->best[0], &near)) {
    f->best[0] = near;
    sift_down(f->best, f->found, 0);
  }
}

static bool is_full(const finder *f) { return f->found == f->k; }

static int compare_near(const void *a, const void *b) {
  return is_farther(a, b) ? 1 : is_farther(b, a) ? -1 : 0;
}

/* ---- all codes ---- */

static size_t rows_in_block(const finder *f, size_t block) {
  size_t left = f->rows - block * ST_CODES_BLOCK;
  return left < ST_CODES_BLOCK ? left : ST_CODES_BLOCK;
}

/* A row that is dead, or not asked for, is at no distance. */
static void strike_out(finder *f, size_t first, size_t count, const st_code_row *rows) {
  const uint64_t *allowed = f->search->allowed;
  bool dead = st_codes_state_of(f->search->codes)->dead > 0;
  if (!allowed && !dead) return;
  for (size_t i = 0; i < count; i++) {
    size_t row = first + i;
    if ((allowed && !(allowed[row / 64] >> row % 64 & 1)) || (dead && !st_code_row_alive(&rows[i])))
      f->distances[row] = NOT_ALLOWED;
  }
}

/* Two histograms, in turns: neighbours are often at the same distance, and one would wait for the other. */
static void count_distances(finder *f, size_t first, size_t count) {
  uint32_t *even = f->histogram, *odd = f->histogram + f->words * 64 + 2;
  uint16_t farthest = (uint16_t)(f->words * 64 + 1);
  for (size_t i = 0; i < count; i++) {
    uint16_t distance = f->distances[first + i];
    uint32_t *histogram = i % 2 ? odd : even;
    histogram[distance < farthest ? distance : farthest]++;
  }
}

static void add_histograms(finder *f) {
  size_t bins = f->words * 64 + 2;
  for (size_t i = 0; i < bins; i++) f->histogram[i] += f->histogram[bins + i];
}

static void scan(finder *f) {
  for (size_t block = 0; block * ST_CODES_BLOCK < f->rows && f->result == ST_CODES_OK; block++) {
    const uint64_t *code;
    const st_code_row *rows;
    size_t first = block * ST_CODES_BLOCK, count = rows_in_block(f, block);
    f->result = st_codes_block(f->search->codes, block, &code, &rows);
    if (f->result != ST_CODES_OK) return;
    f->kernel->distances(f->query.weights.signs, code, f->words, count, f->distances + first);
    strike_out(f, first, count, rows);
    count_distances(f, first, count);
  }
  add_histograms(f);
}

/* ---- estimating ---- */

static bool make_room(finder *f, size_t more) {
  if (f->waiting + more <= f->room) return true;
  size_t room = f->waiting + more;
  candidate *candidates = st_realloc(f->candidates, room * sizeof *candidates);
  if (!candidates) f->result = ST_CODES_NOMEM;
  if (!candidates) return false;
  f->candidates = candidates;
  f->room = room;
  return true;
}

/* Is one of the next GROUP distances not above `to`?  Most often none is, and they are passed over together. */
static bool any_in_group(const uint16_t *distances, uint16_t to) {
  group some;
  memcpy(&some, distances, sizeof some);
  some = (group)(some <= to);
  uint64_t words[sizeof some / sizeof(uint64_t)];
  memcpy(words, &some, sizeof words);
  return words[0] | words[1];
}

/* Those of a block that are not farther than `to`, and were not estimated yet. */
static void estimate_block(finder *f, size_t block, long to) {
  const uint64_t *code;
  const st_code_row *rows;
  size_t first = block * ST_CODES_BLOCK, count = rows_in_block(f, block);
  f->result = st_codes_block(f->search->codes, block, &code, &rows);
  for (size_t i = 0; i < count && f->result == ST_CODES_OK; i++) {
    if (i % GROUP == 0)
      while (i + GROUP <= count && !any_in_group(f->distances + first + i, (uint16_t)to)) i += GROUP;
    if (i == count) break;
    long distance = f->distances[first + i];
    if (distance > to || distance <= f->estimated) continue;
    uint32_t weighted = f->kernel->weighted(&f->query.weights, code + i * f->words, f->words);
    f->candidates[f->waiting++] = (candidate){(float)st_code_cosine(&f->query, weighted, rows[i].spread), (uint32_t)(first + i)};
  }
}

/* All codes up to a distance. */
static void estimate_to(finder *f, long to) {
  size_t more = 0;
  for (long distance = f->estimated + 1; distance <= to; distance++) more += f->histogram[distance];
  if (more && make_room(f, more))
    for (size_t block = 0; block * ST_CODES_BLOCK < f->rows && f->result == ST_CODES_OK; block++) estimate_block(f, block, to);
  f->estimated = to;
}

/* The distance up to which there are at least so many codes; the last one if there are fewer. */
static long distance_of(const finder *f, size_t codes) {
  long last = (long)f->words * 64, distance = 0;
  size_t sum = f->histogram[0];
  while (sum < codes && distance < last) sum += f->histogram[++distance];
  return distance;
}

/* ---- comparing exactly ---- */

static const st_code_row *row_of(finder *f, uint32_t row) {
  const uint64_t *code;
  const st_code_row *rows;
  f->result = st_codes_block(f->search->codes, row / ST_CODES_BLOCK, &code, &rows);
  return rows + row % ST_CODES_BLOCK;
}

/* As st_cosine(), but what is known of the query is not reckoned again. */
static double cosine(const finder *f, const float *vector) {
  double sums[2];
  f->kernel->products(f->search->query, vector, f->dimension, sums);
  double lengths = sqrt(f->squares * sums[1]), near = lengths > 0 ? sums[0] / lengths : 0;
  return near > 1 ? 1 : near < -1 ? -1 : near;
}

static void compare(finder *f, const candidate *candidates, size_t count) {
  const st_code_row *rows[FETCH] = {NULL};
  bool there[FETCH] = {false};
  for (size_t i = 0; i < count && f->result == ST_CODES_OK; i++) rows[i] = row_of(f, candidates[i].row);
  if (f->result != ST_CODES_OK) return;
  f->stopped = !f->search->fetch(f->search->context, rows, count, f->vectors, there);
  for (size_t i = 0; i < count && !f->stopped; i++)
    if (there[i])
      offer(f, (st_near){rows[i]->number, rows[i]->document, cosine(f, f->vectors + i * f->dimension)});
  f->compared += count;
}

static bool goes_on(const finder *f) { return f->result == ST_CODES_OK && !f->stopped; }

/* Below this estimate none is worth comparing. */
static double least_estimate(const finder *f) {
  if (!is_full(f)) return -INFINITY;
  return f->best[0].similarity - ESTIMATE_OFF * st_code_error(f->words, f->best[0].similarity);
}

/* Put the candidates in order, the highest first; roughly, in levels from the highest to the lowest that counts.
** Those below stay behind, for the case that too few of the others are there.  How many are in order. */
static size_t order(finder *f, double least, candidate *ordered) {
  size_t starts[LEVELS + 1] = {0};
  float high = -INFINITY, low = INFINITY;
  for (size_t i = 0; i < f->waiting; i++) {
    high = fmaxf(high, f->candidates[i].estimate);
    low = fminf(low, f->candidates[i].estimate);
  }
  low = fmaxf(low, (float)least);
  float width = high > low ? (LEVELS - 1) / (high - low) : 0;
#define LEVEL(c) ((c).estimate < low ? LEVELS - 1 : (size_t)((high - (c).estimate) * width))
  for (size_t i = 0; i < f->waiting; i++) starts[LEVEL(f->candidates[i]) + 1]++;
  for (size_t i = 0; i < LEVELS; i++) starts[i + 1] += starts[i];
  for (size_t i = 0; i < f->waiting; i++) ordered[starts[LEVEL(f->candidates[i])]++] = f->candidates[i];
#undef LEVEL
  return f->waiting;
}

/* Compare the candidates, the highest estimates first, as long as one may be among the nearest, and at most so many.
** Those that were not compared go on waiting. */
static void compare_best(finder *f, size_t most) {
  candidate *ordered = f->waiting ? st_alloc(f->waiting * sizeof *ordered) : NULL;
  size_t done = 0;
  if (f->waiting && !ordered) f->result = ST_CODES_NOMEM;
  if (!ordered) return;
  order(f, least_estimate(f), ordered);
  while (goes_on(f) && done < f->waiting && done < most && (double)ordered[done].estimate >= least_estimate(f)) {
    size_t count = f->waiting - done < FETCH ? f->waiting - done : FETCH;
    compare(f, ordered + done, count);
    done += count;
  }
  memcpy(f->candidates, ordered + done, (f->waiting - done) * sizeof *ordered);
  f->waiting -= done;
  st_free(ordered);
}

/* ---- all together ---- */

/* How far codes may be from the query for their vectors to be among the nearest, as these are known so far. */
static long farthest(const finder *f) {
  double cosine = f->best[0].similarity;
  double bits = st_code_distance(f->words, cosine) + BITS_OFF * st_code_distance_error(f->words, cosine);
  long most = distance_of(f, f->rows / ESTIMATES_PART);
  return bits < (double)most ? (long)bits : most;
}

static void find(finder *f) {
  size_t wanted = f->k > FIRST_LOOK / 4 ? f->k * 4 : FIRST_LOOK;
  long last = (long)f->words * 64;
  scan(f);
  if (!goes_on(f)) return;
  estimate_to(f, distance_of(f, wanted));
  compare_best(f, FETCH);
  while (goes_on(f) && !is_full(f)) { /* too few are there: look further, until all were looked at */
    compare_best(f, SIZE_MAX);
    if (is_full(f) || f->estimated == last) break;
    wanted *= 4;
    estimate_to(f, distance_of(f, wanted));
  }
  if (goes_on(f) && is_full(f) && farthest(f) > f->estimated) estimate_to(f, farthest(f));
  if (goes_on(f)) compare_best(f, EXACT_MOST);
}

static bool prepare(finder *f) {
  double sums[2];
  size_t bins = f->words * 64 + 2;
  f->kernel->products(f->search->query, f->search->query, f->dimension, sums);
  f->squares = sums[1];
  f->distances = st_alloc((f->rows + 1) * sizeof *f->distances);
  f->histogram = st_alloc_zero(2 * bins * sizeof *f->histogram);
  f->vectors = st_alloc(FETCH * f->dimension * sizeof *f->vectors);
  f->best = st_alloc(f->k * sizeof *f->best);
  return st_code_query_init(&f->query, f->search->query, f->dimension) && f->distances && f->histogram && f->vectors && f->best;
}

st_codes_result st_near_find(const st_near_search *search, st_near *out, size_t *count, bool *stopped) {
  finder f = {.search = search, .kernel = search->kernel ? search->kernel : st_kernel_best(), .estimated = -1};
  f.dimension = st_codes_kind_of(search->codes)->dimension;
  f.words = st_code_words(f.dimension);
  f.rows = (size_t)st_codes_state_of(search->codes)->count;
  f.k = search->k < f.rows ? search->k : f.rows;
  *count = 0;
  *stopped = false;
  if (f.k == 0) return ST_CODES_OK;
  f.result = prepare(&f) ? ST_CODES_OK : ST_CODES_NOMEM;
  if (f.result == ST_CODES_OK) find(&f);
  *stopped = f.stopped;
  if (goes_on(&f)) {
    qsort(f.best, f.found, sizeof *f.best, compare_near);
    memcpy(out, f.best, f.found * sizeof *out);
    *count = f.found;
  }
  st_code_query_free(&f.query);
  st_free(f.distances);
  st_free(f.histogram);
  st_free(f.candidates);
  st_free(f.vectors);
  st_free(f.best);
  return f.result;
}
