/* code.c - see code.h. */
#include "vector/code.h"

#include <math.h>

#include "base/alloc.h"

#define PI 3.14159265358979323846
#define HEAVIEST ((1 << ST_PLANES) - 1)

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

void st_code_make(const float *vector, size_t dimension, float *room, uint64_t *code, float *spread) {
  size_t words = st_code_words(dimension);
  double sum = 0;
  make_unit(vector, dimension, room);
  take_signs(room, words, code);
  for (size_t i = 0; i < words * 64; i++) sum += fabs((double)room[i]);
  *spread = (float)sum;
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

bool st_code_query_init(st_code_query *query, const float *vector, size_t dimension) {
  size_t words = st_code_words(dimension);
  float *numbers = st_alloc(words * 64 * sizeof *numbers);
  *query = (st_code_query){.words = words, .bits = st_alloc_zero((1 + ST_PLANES) * words * sizeof *query->bits)};
  bool made = numbers && query->bits;
  if (made) {
    make_unit(vector, dimension, numbers);
    take_signs(numbers, words, query->bits);
    weigh(query, numbers);
    query->weights.signs = query->bits;
    for (size_t p = 0; p < ST_PLANES; p++) query->weights.planes[p] = query->bits + (1 + p) * words;
  }
  st_free(numbers);
  return made;
}

void st_code_query_free(st_code_query *query) {
  st_free(query->bits);
  query->bits = NULL;
}

/* ---- how far off ---- */

/* A code has the part sqrt(2/pi) of its vector's direction, the rest is at right angles to it, and of that a query
** has what the vector has not of it. */
double st_code_error(size_t words, double cosine) {
  double across = 1 - cosine * cosine;
  return sqrt((across > 0 ? across : 0) * (PI / 2 - 1) / (double)(words * 64));
}

double st_code_distance(size_t words, double cosine) {
  return (double)(words * 64) * acos(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine) / PI;
}

/* Bits would differ independently of each other, if the rotation did not keep the angle: knowing it leaves at most
** the part 1 - (2/pi)^2 of that variance. */
double st_code_distance_error(size_t words, double cosine) {
  double bits = (double)(words * 64), part = st_code_distance(words, cosine) / bits;
  return sqrt(bits * part * (1 - part) * (1 - 4 / (PI * PI)));
}
