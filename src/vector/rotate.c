/* rotate.c - see rotate.h.
**
** Three times: signs are flipped at random, then a Walsh-Hadamard transform mixes the largest power of two of
** the numbers at the front, and as many at the end. */
#include "vector/rotate.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"

enum { ROUNDS = 3, WIDE = 4 };

/* A register full, with either compiler on any machine. */
typedef float wide __attribute__((vector_size(WIDE * sizeof(float)), aligned(sizeof(float)), may_alias));

static void flip(float *v, size_t count, uint64_t seed) {
  for (size_t at = 0; at < count; at += 64) {
    uint64_t signs = st_hash64_mix(st_hash64_mix(seed + at * UINT64_C(0x9E3779B97F4A7C15)));
    for (size_t i = 0; i < 64; i++)
      if (signs >> i & 1) v[at + i] = -v[at + i];
  }
}

/* The first two steps: sums and differences of neighbours, and of pairs. */
static void mix_fours(float *v, size_t count) {
  for (size_t i = 0; i < count; i += 4) {
    float a = v[i] + v[i + 1], b = v[i] - v[i + 1], c = v[i + 2] + v[i + 3], d = v[i + 2] - v[i + 3];
    v[i] = a + c;
    v[i + 1] = b + d;
    v[i + 2] = a - c;
    v[i + 3] = b - d;
  }
}

/* One further step: sums and differences of runs of so many. */
static void mix_runs(float *v, size_t count, size_t run) {
  for (size_t at = 0; at < count; at += 2 * run)
    for (size_t i = at; i < at + run; i += WIDE) {
      wide *low = (wide *)(v + i), *high = (wide *)(v + i + run);
      wide sum = *low + *high, difference = *low - *high;
      *low = sum;
      *high = difference;
    }
}

static void transform(float *v, size_t count) {
  float scale = (float)(1 / sqrt((double)count));
  mix_fours(v, count);
  for (size_t run = WIDE; run < count; run *= 2) mix_runs(v, count, run);
  for (size_t i = 0; i < count; i++) v[i] *= scale;
}

void st_rotate(float *vector, size_t dimension) {
  size_t count = st_rotated(dimension), part = 64;
  while (part * 2 <= count) part *= 2;
  memset(vector + dimension, 0, (count - dimension) * sizeof *vector);
  for (uint64_t round = 0; round < ROUNDS; round++) {
    flip(vector, count, ST_ROTATION + round);
    transform(vector, part);
    if (part < count) transform(vector + count - part, part);
  }
}
