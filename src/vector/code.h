/* code.h - a vector as one bit per dimension: the signs of its numbers, rotated (rotate.h); and, finer, as four.
**
** What two codes have in common estimates the cosine of their vectors.  Closer is the estimate from a code and the
** numbers of the other vector: the sum of these, multiplied by what the code says of each dimension, by the sum
** that the coded vector itself would have, which is kept beside its code as its share.  It is right on average, and off
** by about st_code_error(). */
#ifndef ST_CODE_H
#define ST_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vector/kernel.h"
#include "vector/rotate.h"

/* 64-bit words of a code. */
static inline size_t st_code_words(size_t dimension) { return st_rotated(dimension) / 64; }

/* Has it a direction?  Not if it is zeros only, or one of its numbers is not finite. */
bool st_vector_directed(const float *vector, size_t dimension);

/* The sums that a vector has with its own codes, at length one: the one bit stands for -1 or 1, the four for -7.5 to
** 7.5. */
typedef struct st_code_shares {
  float code, fine;
} st_code_shares;

/* The codes of a vector with a direction; fine: ST_FINE_BYTES for each word of the other.  room: st_rotated(dimension)
** numbers. */
void st_code_make(const float *vector, size_t dimension, float *room, uint64_t *code, uint8_t *fine, st_code_shares *shares);

/* A vector that others are compared with. */
typedef struct st_code_query {
  st_weights weights;
  size_t words;
  double step;    /* what a weight of 1 stands for */
  double total;   /* of all weights */
  uint64_t *bits; /* the words behind weights */
  int8_t *fine;   /* its numbers, */
  double fine_step, fine_total;
} st_code_query;

/* false: out of memory.  Release with st_code_query_free(), also then. */
bool st_code_query_init(st_code_query *query, const float *vector, size_t dimension);
void st_code_query_free(st_code_query *query);

/* The cosine, estimated from what st_kernel.weighted() or st_kernel.fine() say of the code. */
static inline double st_code_cosine(const st_code_query *query, uint32_t weighted, float share) {
  return query->step * (query->total - 2.0 * weighted) / (double)share;
}
static inline double st_code_fine_cosine(const st_code_query *query, int32_t sum, float share) {
  return query->fine_step * (sum - 7.5 * query->fine_total) / (double)share;
}

/* The standard deviation of these estimates where the cosine is so large. */
double st_code_error(size_t words, double cosine);
double st_code_fine_error(size_t words, double cosine);
/* In how many bits codes differ whose vectors have this cosine: on average, and its standard deviation. */
double st_code_distance(size_t words, double cosine);
double st_code_distance_error(size_t words, double cosine);

#endif
