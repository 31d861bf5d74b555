/* code.c - see code.h. */
#include "vector/code.h"

#include <math.h>

#include "base/alloc.h"

#define PI 3.14159265358979323846
#define HEAVIEST ((1 << ST_PLANES) - 1)

/* Of four bits: the width of a step, where the numbers have a standard deviation of 1, that loses least of them, and
** the part of their squares that is lost then. */
#define FINE_STEP 0.335
#define FINE_LOSS 0.0115

static double squares_of(const float *vector, size_t dimension) {
  double squares = 0;
  for (size_t i = 0; i < dimension; i++) squares += (double)vector[i] * (double)vector[i];
  return squares;
}

bool st_vector_directed(const float *vector, size_t dimension) {
  double squares = squares_of(vector, dimension);
  return isfinite(squares) && squares > 0;
}

/* Rotated, and of length one. */
static void make_unit(const float *vector, size_t dimension, float *out) {
  double length = sqrt(squares_of(vector, dimension));
  for (size_t i = 0; i < dimension; i++) out[i] = (float)((double)vector[i] / length);
  st_rotate(out, dimension);
}

static void take_signs(const float *numbers, size_t words, uint64_t *code) {
  for (size_t w = 0; w < words; w++) {
    uint64_t bits = 0;
    for (size_t i = 0; i < 64; i++) bits |= (uint64_t)(numbers[w * 64 + i] >= 0) << i;
    code[w] = bits;
  }
}

/* Numbers 0 to 31 of each 64 are the lower halves of 32 bytes, the others the upper ones. */
static double take_fine(const float *numbers, size_t words, uint8_t *fine) {
  double scale = sqrt((double)(words * 64)) / FINE_STEP, share = 0;
  for (size_t i = 0; i < words * 64; i++) {
    double level = (double)numbers[i] * scale + 8;
    unsigned kept = level < 0 ? 0 : level > 15 ? 15 : (unsigned)level;
    uint8_t *byte = &fine[i / 64 * ST_FINE_BYTES + i % ST_FINE_BYTES];
    *byte = (uint8_t)(i % 64 < ST_FINE_BYTES ? kept : *byte | kept << 4);
    share += (double)numbers[i] * (kept - 7.5);
  }
  return share;
}

void st_code_make(const float *vector, size_t dimension, float *room, uint64_t *code, uint8_t *fine, st_code_shares *shares) {
  size_t words = st_code_words(dimension);
  double sum = 0;
  make_unit(vector, dimension, room);
  take_signs(room, words, code);
  for (size_t i = 0; i < words * 64; i++) sum += fabs((double)room[i]);
  *shares = (st_code_shares){(float)sum, (float)take_fine(room, words, fine)};
}

/* ---- queries ---- */

static void weigh(st_code_query *query, const float *numbers) {
  uint64_t *planes = query->bits + query->words;
  double largest = 0;
  for (size_t i = 0; i < query->words * 64; i++) largest = fmax(largest, fabs((double)numbers[i]));
  query->step = largest / HEAVIEST;
  query->total = 0;
  for (size_t i = 0; i < query->words * 64; i++) {
    uint64_t weight = (uint64_t)(fabs((double)numbers[i]) / query->step + 0.5);
    query->total += (double)weight;
    for (size_t p = 0; p < ST_PLANES; p++) planes[p * query->words + i / 64] |= (weight >> p & 1) << i % 64;
  }
}

static void weigh_fine(st_code_query *query, const float *numbers) {
  query->fine_step = query->step * HEAVIEST / INT8_MAX;
  query->fine_total = 0;
  for (size_t i = 0; i < query->words * 64; i++) {
    query->fine[i] = (int8_t)lrint((double)numbers[i] / query->fine_step);
    query->fine_total += query->fine[i];
  }
}

bool st_code_query_init(st_code_query *query, const float *vector, size_t dimension) {
  size_t words = st_code_words(dimension);
  float *numbers = st_alloc(words * 64 * sizeof *numbers);
  *query = (st_code_query){.words = words, .bits = st_alloc_zero((1 + ST_PLANES) * words * sizeof *query->bits)};
  query->fine = st_alloc(words * 64);
  bool made = numbers && query->bits && query->fine;
  if (made) {
    make_unit(vector, dimension, numbers);
    take_signs(numbers, words, query->bits);
    weigh(query, numbers);
    weigh_fine(query, numbers);
    query->weights.signs = query->bits;
    for (size_t p = 0; p < ST_PLANES; p++) query->weights.planes[p] = query->bits + (1 + p) * words;
  }
  st_free(numbers);
  return made;
}

void st_code_query_free(st_code_query *query) {
  st_free(query->bits);
  st_free(query->fine);
  query->bits = NULL;
  query->fine = NULL;
}

/* ---- how far off ---- */

/* Where a code loses this part of its vector's square, as much beside what it keeps is at right angles to the vector, and
** of that a query meets as much as the vector has not of it. */
static double error_of(size_t words, double cosine, double loss) {
  double across = 1 - cosine * cosine;
  return sqrt((across > 0 ? across : 0) * loss / (1 - loss) / (double)(words * 64));
}

double st_code_error(size_t words, double cosine) { return error_of(words, cosine, 1 - 2 / PI); }
double st_code_fine_error(size_t words, double cosine) { return error_of(words, cosine, FINE_LOSS); }

double st_code_distance(size_t words, double cosine) {
  return (double)(words * 64) * acos(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine) / PI;
}

/* Bits would differ independently of each other, if the rotation did not keep the angle: at a right angle, knowing it
** leaves the part 1 - (2/pi)^2 of that variance, and the smaller the angle, the more. */
double st_code_distance_error(size_t words, double cosine) {
  double bits = (double)(words * 64), part = st_code_distance(words, cosine) / bits;
  return sqrt(bits * part * (1 - part) * (1 - 4 / (PI * PI) * (1 - cosine * cosine)));
}
