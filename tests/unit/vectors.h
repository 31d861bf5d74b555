/* vectors.h - vectors for tests, each a function of its number, and codes of them. */
#ifndef ST_TEST_VECTORS_H
#define ST_TEST_VECTORS_H

#include <stdint.h>

#include "base/hash.h"
#include "vector/codes.h"

static inline void make_vector(uint64_t number, size_t dimension, float *out) {
  for (size_t i = 0; i < dimension; i++) {
    uint64_t bits = st_hash64_mix(st_hash64_mix(number * 16381 + i + 1));
    out[i] = (float)(bits & 0xFFFF) + (float)(bits >> 16 & 0xFFFF) - 65535.0f;
  }
}

/* Bring codes up to a number: embedding n is of document 2n.  Answers what went wrong, 0: nothing. */
static inline int catch_up(st_codes *codes, int64_t last) {
  size_t dimension = st_codes_kind_of(codes)->dimension;
  float vector[4096];
  st_codes_result result = st_codes_lock(codes);
  for (int64_t n = st_codes_state_of(codes)->through + 1; n <= last && result == ST_CODES_OK; n++) {
    make_vector((uint64_t)n, dimension, vector);
    result = st_codes_add(codes, n, 2 * n, vector);
  }
  if (result == ST_CODES_OK && st_codes_state_of(codes)->through < last) result = st_codes_publish(codes, last, 0);
  st_codes_unlock(codes);
  return (int)result;
}

/* Are these exactly the rows of catch_up(), up to the number? */
static inline bool holds(st_codes *codes, int64_t last) {
  const st_codes_state *state = st_codes_state_of(codes);
  if (state->count != (uint64_t)last || state->through != last) return false;
  for (uint64_t i = 0; i < state->count; i++) {
    st_codes_block block;
    const st_code_fine *fine;
    if (st_codes_read(codes, (size_t)(i / ST_CODES_BLOCK), &block) != ST_CODES_OK) return false;
    if (st_codes_fine(codes, i, &fine) != ST_CODES_OK) return false;
    const st_code_row *row = &block.rows[i % ST_CODES_BLOCK];
    if (row->number != (int64_t)i + 1 || row->document != 2 * row->number || !st_code_row_alive(row)) return false;
  }
  return true;
}

#endif
