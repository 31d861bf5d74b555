/* kernel.h - the few loops that searching vectors spends its time in, written for several kinds of processor.
** All variants give the same results, bit for bit: everything is counted in integers. */
#ifndef ST_KERNEL_H
#define ST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ST_PLANES 4 /* bits of a weight */
#define ST_LANES 8
#define ST_FINE_BYTES 32 /* that 64 dimensions take in four bits each */

/* A query: its signs as a code, and how much each of them weighs, from 0 to 15, as bits: plane p has the bits
** that count 1 << p. */
typedef struct st_weights {
  const uint64_t *signs;
  const uint64_t *planes[ST_PLANES];
} st_weights;

typedef struct st_kernel {
  const char *name;
  bool (*usable)(void); /* on this machine */
  /* In how many bits each of count codes, one after another, differs from the query.  words: of a code, at most
  ** 1023, so that a distance fits. */
  void (*distances)(const uint64_t *query, const uint64_t *codes, size_t words, size_t count, uint16_t *out);
  /* The sum of the weights of the bits in which a code differs from the query. */
  uint32_t (*weighted)(const st_weights *query, const uint64_t *code, size_t words);
  /* The sum of the query's numbers, each multiplied by the four bits of its dimension (code.c tells where these are). */
  int32_t (*fine)(const int8_t *query, const uint8_t *fine, size_t words);
  /* The sums of the products of two vectors, and of the second one's squares: in doubles, in ST_LANES sums side by side
  ** that are then added in order, so that this too is the same everywhere. */
  void (*products)(const float *query, const float *vector, size_t count, double out[2]);
  /* Halves, little endian, to floats. */
  void (*widen)(const char *halves, size_t count, float *out);
} st_kernel;

/* All that were compiled, the best first; the last is usable everywhere.  For tests: they compare them. */
const st_kernel *const *st_kernels(size_t *count);
/* The best that this machine can use. */
const st_kernel *st_kernel_best(void);

#endif
