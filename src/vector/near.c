/* near.c - see near.h. */
#include "vector/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "vector/kernel.h"
#include "vector/ranking.h"

/* By how many standard deviations an estimate may be off and still not be missed, */
#define BITS_OFF 1.8
#define ESTIMATE_OFF 2.0
#define FINE_OFF 3.0

/* as long as that leaves no more than this, once there are enough.  Measured, not derived: bench/vector tells what is
** found of the nearest, and how long it takes. */
enum {
  CODES_PART = 16,    /* 1 / this of all codes are estimated, */
  CODES_MOST = 16384, /* or so many, if that is more; */
  FINE_MOST = 4096,   /* so many once more, */
  EXACT_MOST = 2048,  /* and so many compared */
};

enum {
  FIRST_LOOK = 2048,  /* codes estimated, */
  FIRST_FINE = 256,   /* estimated once more */
  FIRST_EXACT = 32,   /* and compared, until the nearest are known a little */
  AT_ONCE = 512,      /* rows whose codes stay near the processor */
  FIRST_ROWS = 16 * ST_CODES_BLOCK, /* looked at before the others, */
  STAGE = 2,          /* then so many times what was looked at before */
  AHEAD = 8,          /* fine codes asked of memory before they are needed */
};
#define NOT_ALLOWED UINT16_MAX

typedef struct finder {
  const st_near_search *search;
  const st_kernel *kernel;
  st_code_query query;
  size_t dimension, words, rows, k;
  bool selects;         /* some rows are dead, or not asked for */
  size_t scanned;       /* of the rows, those that have a distance */
  double squares;       /* of the query: their sum */
  uint16_t *distances;  /* of every row */
  uint32_t *histogram;  /* rows at each distance, of those that were counted */
  size_t counted;
  int32_t *estimated;   /* of each block: up to this distance its rows were */
  st_ranking codes;     /* those estimated by their codes, */
  st_ranking fine;      /* and those by their fine codes; neither compared yet */
  float *vectors;       /* of ST_NEAR_FETCH rows */
  st_near *best;        /* a heap, the farthest on top */
  size_t found;
  st_codes_result result;
  bool stopped;
} finder;

static bool goes_on(const finder *f) { return f->result == ST_CODES_OK && !f->stopped; }
static bool is_full(const finder *f) { return f->found == f->k; }

/* ---- the nearest so far ---- */

static bool is_farther(const st_near *a, const st_near *b) {
  return a->similarity != b->similarity ? a->similarity < b->similarity : a->number > b->number;
}

static int compare_near(const void *a, const void *b) {
  return is_farther(a, b) ? 1 : is_farther(b, a) ? -1 : 0;
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
  if (!is_full(f)) {
    f->best[f->found++] = near;
    for (size_t i = is_full(f) ? f->found / 2 : 0; i-- > 0;) sift_down(f->best, f->found, i);
  } else if (is_farther(&f->best[0], &near)) {
    f->best[0] = near;
    sift_down(f->best, f->found, 0);
  }
}

/* The estimate below which none is worth another look: the cosine of the farthest of the nearest, less what it may be
** off.  While there are not enough, all are. */
static double least(const finder *f, double off, double error(size_t, double)) {
  return is_full(f) ? f->best[0].similarity - off * error(f->words, f->best[0].similarity) : -INFINITY;
}

/* ---- all codes ---- */

/* A row that is dead, or not asked for, is at no distance. */
static bool is_wanted(finder *f, size_t row, const st_code_row *is) {
  if (st_code_row_alive(is) && (!f->search->allowed || f->search->allowed(f->search->context, is))) return true;
  f->distances[row] = NOT_ALLOWED;
  return false;
}

static void strike_out(finder *f, size_t first, const st_codes_block *block) {
  for (size_t i = 0; f->selects && i < block->count; i++) is_wanted(f, first + i, &block->rows[i]);
}

/* Two histograms, in turns: neighbours are often at the same distance, and one would wait for the other.  Rows are no
** longer counted once it is known how far they may be. */
static void count_distances(finder *f, const uint16_t *distances, size_t count) {
  uint16_t none = (uint16_t)(f->words * 64 + 1);
  uint32_t *even = f->histogram, *odd = f->histogram + none + 1;
  for (size_t i = 0; i < count; i++) (i % 2 ? odd : even)[distances[i] < none ? distances[i] : none]++;
  f->counted += count;
}

static size_t rows_at(const finder *f, long distance) {
  return (size_t)f->histogram[distance] + f->histogram[(size_t)distance + f->words * 64 + 2];
}

/* The distance up to which there are at least so many codes; the last one if there are fewer. */
static int32_t distance_of(const finder *f, size_t codes) {
  int32_t last = (int32_t)f->words * 64, distance = 0;
  size_t sum = rows_at(f, 0);
  while (sum < codes && distance < last) sum += rows_at(f, ++distance);
  return distance;
}

/* Estimate those of a part of a block that are above `from` and not above `to`, and keep what is enough.  First they are
** listed, without a branch: which they are cannot be foreseen.  Whether they are wanted is asked only now, of the few that are
** near. */
static void estimate_part(finder *f, size_t first, const st_codes_block *part, int32_t from, int32_t to, double enough) {
  uint16_t which[AT_ONCE + 1];
  size_t count = 0;
  const uint16_t *distances = f->distances + first;
  for (size_t i = 0; i < part->count; i++) {
    which[count] = (uint16_t)i;
    count += (distances[i] <= to) & (distances[i] > from);
  }
  for (size_t n = 0; n < count; n++) {
    size_t i = which[n];
    if (f->selects && !is_wanted(f, first + i, &part->rows[i])) continue;
    uint32_t weighted = f->kernel->weighted(&f->query.weights, part->codes + i * f->words, f->words);
    double estimate = st_code_cosine(&f->query, weighted, part->shares[i]);
    if (estimate >= enough && !st_ranking_add(&f->codes, (uint32_t)(first + i), (float)estimate)) f->result = ST_CODES_NOMEM;
  }
}

static st_codes_block part_of(const finder *f, const st_codes_block *block, size_t at) {
  return (st_codes_block){block->count - at < AT_ONCE ? block->count - at : AT_ONCE, block->codes + at * f->words, block->shares + at,
                          block->rows + at};
}

/* Scan a block, and estimate what is near, while its codes are at hand. */
static void scan_block(finder *f, size_t first, int32_t to, double enough) {
  st_codes_block block, part;
  f->result = st_codes_read(f->search->codes, first / ST_CODES_BLOCK, &block);
  if (f->result != ST_CODES_OK) return;
  for (size_t at = 0; at < block.count; at += AT_ONCE) {
    part = part_of(f, &block, at);
    f->kernel->distances(f->query.weights.signs, part.codes, f->words, part.count, f->distances + first + at);
    if (to < 0) {
      strike_out(f, first + at, &part);
      count_distances(f, f->distances + first + at, part.count);
    } else {
      estimate_part(f, first + at, &part, -1, to, enough);
    }
  }
  f->estimated[first / ST_CODES_BLOCK] = to;
}

/* Go on to a row: the end of a block, or of all. */
static void scan_to(finder *f, size_t end, int32_t to) {
  double enough = least(f, ESTIMATE_OFF, st_code_error);
  for (; f->scanned < end && goes_on(f); f->scanned += ST_CODES_BLOCK) scan_block(f, f->scanned, to, enough);
  if (f->scanned > f->rows) f->scanned = f->rows;
}

/* ---- estimating ---- */

/* All that were scanned, up to a distance. */
static void estimate_to(finder *f, int32_t to) {
  double enough = least(f, ESTIMATE_OFF, st_code_error);
  for (size_t first = 0; first < f->scanned && goes_on(f); first += ST_CODES_BLOCK) {
    int32_t *estimated = &f->estimated[first / ST_CODES_BLOCK];
    st_codes_block block, part;
    if (*estimated >= to) continue;
    f->result = st_codes_read(f->search->codes, first / ST_CODES_BLOCK, &block);
    for (size_t at = 0; at < block.count && goes_on(f); at += AT_ONCE) {
      part = part_of(f, &block, at);
      estimate_part(f, first + at, &part, *estimated, to, enough);
    }
    *estimated = to;
  }
}

static void estimate_fine(finder *f, uint32_t row) {
  const st_code_fine *fine;
  f->result = st_codes_fine(f->search->codes, row, &fine);
  if (f->result != ST_CODES_OK) return;
  double estimate = st_code_fine_cosine(&f->query, f->kernel->fine(f->query.fine, fine->levels, f->words), fine->share);
  if (!st_ranking_add(&f->fine, row, (float)estimate)) f->result = ST_CODES_NOMEM;
}

/* The best of those estimated by their codes, at most so many, are estimated by their fine ones. */
static void refine(finder *f, size_t most) {
  double enough = least(f, ESTIMATE_OFF, st_code_error);
  const st_ranked *best;
  if (!st_ranking_sort(&f->codes)) f->result = ST_CODES_NOMEM;
  while (goes_on(f) && most-- && (best = st_ranking_first(&f->codes)) && (double)best->estimate >= enough) {
    if (f->codes.first + AHEAD < f->codes.count) st_codes_expect(f->search->codes, best[AHEAD].row);
    estimate_fine(f, best->row);
    st_ranking_skip(&f->codes);
  }
}

/* ---- comparing ---- */

/* As st_cosine(), but what is known of the query is not reckoned again. */
static double cosine(const finder *f, const float *vector) {
  double sums[2];
  f->kernel->products(f->search->query, vector, f->dimension, sums);
  double lengths = sqrt(f->squares * sums[1]), near = lengths > 0 ? sums[0] / lengths : 0;
  return near > 1 ? 1 : near < -1 ? -1 : near;
}

static const st_code_row *row_of(finder *f, uint32_t row) {
  st_codes_block block;
  f->result = st_codes_read(f->search->codes, row / ST_CODES_BLOCK, &block);
  return &block.rows[row % ST_CODES_BLOCK];
}

static void compare_rows(finder *f, const st_code_row *const *rows, size_t count) {
  bool there[ST_NEAR_FETCH] = {false};
  if (!goes_on(f) || count == 0) return;
  f->stopped = !f->search->fetch(f->search->context, rows, count, f->vectors, there);
  for (size_t i = 0; i < count && !f->stopped; i++)
    if (there[i]) offer(f, (st_near){rows[i]->number, rows[i]->document, cosine(f, f->vectors + i * f->dimension)});
}

/* The best of those estimated by their fine codes, at most so many, are compared. */
static void compare(finder *f, size_t most) {
  const st_code_row *rows[ST_NEAR_FETCH];
  const st_ranked *best;
  size_t count = ST_NEAR_FETCH;
  if (!st_ranking_sort(&f->fine)) f->result = ST_CODES_NOMEM;
  while (goes_on(f) && most && count == ST_NEAR_FETCH) {
    double enough = least(f, FINE_OFF, st_code_fine_error);
    for (count = 0; count < ST_NEAR_FETCH && count < most && (best = st_ranking_first(&f->fine)) && (double)best->estimate >= enough; count++) {
      rows[count] = row_of(f, best->row);
      st_ranking_skip(&f->fine);
    }
    compare_rows(f, rows, count);
    most -= count;
  }
}

/* ---- all together ---- */

/* How far codes may be from the query for their vectors to be among the nearest, as these are known so far; -1: not. */
static int32_t farthest(const finder *f) {
  if (!is_full(f)) return -1;
  double near = f->best[0].similarity;
  double bits = st_code_distance(f->words, near) + BITS_OFF * st_code_distance_error(f->words, near);
  size_t codes = f->rows / CODES_PART > CODES_MOST ? f->rows / CODES_PART : CODES_MOST;
  int32_t most = distance_of(f, codes * f->counted / f->rows);
  return bits < (double)most ? (int32_t)bits : most;
}

/* Know the nearest of those scanned a little. */
static void look(finder *f) {
  refine(f, FIRST_FINE);
  compare(f, FIRST_EXACT);
}

/* Until there are enough, or all that were scanned were looked at: many may be gone. */
static void find_enough(finder *f) {
  int32_t to;
  for (size_t wanted = f->k > FIRST_LOOK ? f->k : FIRST_LOOK; goes_on(f) && !is_full(f); wanted *= 4) {
    estimate_to(f, to = distance_of(f, wanted));
    look(f);
    if (is_full(f)) return;
    refine(f, SIZE_MAX);
    compare(f, SIZE_MAX);
    if (to == (int32_t)f->words * 64) return;
  }
}

/* The more rows were looked at, the better is known how near the others must be, so it goes in stages. */
static void find(finder *f) {
  for (size_t end = FIRST_ROWS; f->scanned < f->rows && goes_on(f); end *= STAGE) {
    scan_to(f, end < f->rows ? end : f->rows, farthest(f));
    if (is_full(f))
      look(f);
    else
      find_enough(f);
  }
  estimate_to(f, farthest(f));
  refine(f, FINE_MOST);
  compare(f, EXACT_MOST);
}

static bool prepare(finder *f) {
  double sums[2];
  f->kernel->products(f->search->query, f->search->query, f->dimension, sums);
  f->squares = sums[1];
  f->distances = st_alloc(f->rows * sizeof *f->distances);
  f->estimated = st_alloc((f->rows / ST_CODES_BLOCK + 1) * sizeof *f->estimated);
  f->histogram = st_alloc_zero(2 * (f->words * 64 + 2) * sizeof *f->histogram);
  f->vectors = st_alloc(ST_NEAR_FETCH * f->dimension * sizeof *f->vectors);
  f->best = st_alloc(f->k * sizeof *f->best);
  return st_code_query_init(&f->query, f->search->query, f->dimension) && f->distances && f->estimated && f->histogram &&
         f->vectors && f->best;
}

static void release(finder *f) {
  st_code_query_free(&f->query);
  st_ranking_free(&f->codes);
  st_ranking_free(&f->fine);
  st_free(f->distances);
  st_free(f->estimated);
  st_free(f->histogram);
  st_free(f->vectors);
  st_free(f->best);
}

st_codes_result st_near_find(const st_near_search *search, st_near *out, size_t *count, bool *stopped) {
  finder f = {.search = search, .kernel = search->kernel ? search->kernel : st_kernel_best()};
  f.dimension = st_codes_kind_of(search->codes)->dimension;
  f.words = st_code_words(f.dimension);
  f.rows = (size_t)st_codes_state_of(search->codes)->count;
  f.k = search->k < f.rows ? search->k : f.rows;
  f.selects = search->allowed || st_codes_state_of(search->codes)->dead > 0;
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
  release(&f);
  return f.result;
}
