/* vectors.c - see vectors.h. */
#include "vector/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"
#include "vector/codes.h"
#include "vector/half.h"
#include "vector/kernel.h"
#include "vector/near.h"

enum { RANK = 32, CENTRES = 1000, BYTES = DIMENSION * ST_HALF_BYTES };
#define SPREAD 0.8f       /* of a cluster, where the centres have 1 */

/* In all dimensions, where what the clusters have in each has a variance of 1 + SPREAD x SPREAD. */
static const float noise[] = {[CLUSTERS] = 0.25f, [NEAR_NOISE] = 2.56f};
#define QUERIES (UINT64_C(1) << 40) /* numbers of vectors that are not among them */

/* About normal: the sum of four numbers at random, a function of n alone. */
static float normal(uint64_t n) {
  uint64_t bits = bench_mix(n);
  float sum = (float)(bits & 0xFFFF) + (float)(bits >> 16 & 0xFFFF) + (float)(bits >> 32 & 0xFFFF) + (float)(bits >> 48);
  return (sum / 65536.0f - 2.0f) * 1.7320508f;
}

static void make_one(const bench_vectors *vectors, uint64_t which, float *out) {
  uint64_t seed = ((uint64_t)vectors->shape + 1) << 60 ^ which << 11;
  for (size_t i = 0; i < DIMENSION; i++) out[i] = normal(seed + i);
  uint64_t centre = (UINT64_C(1) << 50) + bench_mix(which) % CENTRES * RANK;
  for (size_t i = 0; i < DIMENSION; i++) out[i] *= noise[vectors->shape];
  for (size_t r = 0; r < RANK; r++) {
    float amount = normal(centre + r) + SPREAD * normal(seed + DIMENSION + r);
    for (size_t i = 0; i < DIMENSION; i++) out[i] += amount * vectors->basis[r * DIMENSION + i];
  }
}

/* Of length one, so that the cosine is the sum of the products. */
static void make_unit(const bench_vectors *vectors, uint64_t which, float *out) {
  float squares = 0;
  make_one(vectors, which, out);
  for (size_t i = 0; i < DIMENSION; i++) squares += out[i] * out[i];
  for (size_t i = 0; i < DIMENSION; i++) out[i] /= sqrtf(squares);
}

void bench_vectors_make(bench_vectors *vectors, bench_shape shape, size_t count) {
  float one[DIMENSION];
  *vectors = (bench_vectors){.shape = shape, .count = count, .basis = malloc(RANK * DIMENSION * sizeof *vectors->basis)};
  vectors->halves = mmap(NULL, count * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!vectors->basis || vectors->halves == MAP_FAILED) bench_die("out of memory");
  for (size_t i = 0; i < RANK * DIMENSION; i++) vectors->basis[i] = normal((UINT64_C(1) << 51) + i) / sqrtf(RANK);
  for (size_t i = 0; i < count; i++) {
    make_unit(vectors, i, one);
    st_halves_put(one, DIMENSION, vectors->halves + i * BYTES);
  }
}

void bench_vectors_free(bench_vectors *vectors) {
  munmap(vectors->halves, vectors->count * BYTES);
  free(vectors->basis);
}

void bench_vectors_query(const bench_vectors *vectors, uint64_t which, float *out) { make_unit(vectors, QUERIES + which, out); }

void bench_vectors_read(const bench_vectors *vectors, size_t which, float *out) {
  st_kernel_best()->widen(vectors->halves + which * BYTES, DIMENSION, out);
}

/* ---- the truth ---- */

static float product(const float *a, const float *b) {
  float lanes[16] = {0}, sum = 0;
  for (size_t i = 0; i < DIMENSION; i += 16)
    for (size_t k = 0; k < 16; k++) lanes[k] += a[i + k] * b[i + k];
  for (size_t k = 0; k < 16; k++) sum += lanes[k];
  return sum;
}

void bench_vectors_nearest(const bench_vectors *vectors, const float *queries, size_t nqueries, size_t k, uint32_t *out) {
  float *best = malloc(nqueries * k * sizeof *best), one[DIMENSION];
  if (!best) bench_die("out of memory");
  for (size_t i = 0; i < nqueries * k; i++) best[i] = -2;
  for (size_t i = 0; i < vectors->count; i++) {
    bench_vectors_read(vectors, i, one);
    for (size_t q = 0; q < nqueries; q++) {
      float near = product(queries + q * DIMENSION, one), *scores = best + q * k;
      if (near <= scores[k - 1]) continue;
      size_t at = k - 1;
      for (; at > 0 && scores[at - 1] < near; at--) {
        scores[at] = scores[at - 1];
        out[q * k + at] = out[q * k + at - 1];
      }
      scores[at] = near;
      out[q * k + at] = (uint32_t)i;
    }
  }
  free(best);
}

/* ---- by their codes ---- */

st_codes *bench_vectors_code(const bench_vectors *vectors, const char *path) {
  st_codes_kind kind = {.dimension = DIMENSION};
  st_codes *codes;
  float one[DIMENSION];
  st_codes_result result = st_codes_open(path, &kind, &codes);
  if (result == ST_CODES_OK) result = st_codes_lock(codes);
  for (size_t i = 0; i < vectors->count && result == ST_CODES_OK; i++) {
    bench_vectors_read(vectors, i, one);
    result = st_codes_add(codes, (int64_t)i + 1, (int64_t)i, one);
  }
  if (result == ST_CODES_OK) result = st_codes_publish(codes, (int64_t)vectors->count, 0);
  if (result != ST_CODES_OK) bench_die("%s: cannot be written", path);
  st_codes_unlock(codes);
  return codes;
}

static bool fetch(void *context, const st_code_row *const *rows, size_t count, float *out, bool *there) {
  for (size_t i = 0; i < count; i++) {
    bench_vectors_read(context, (size_t)rows[i]->document, out + i * DIMENSION);
    there[i] = true;
  }
  return true;
}

double bench_vectors_search(const bench_vectors *vectors, st_codes *codes, const float *query, size_t k, uint32_t *out) {
  st_near_search search = {.codes = codes, .query = query, .k = k, .fetch = fetch, .context = (void *)(uintptr_t)vectors};
  st_near *found = malloc(k * sizeof *found);
  size_t count = 0;
  bool stopped;
  if (!found) bench_die("out of memory");
  double start = bench_cpu();
  st_codes_result result = st_near_find(&search, found, &count, &stopped);
  double took = bench_cpu() - start;
  if (result != ST_CODES_OK || count != k) bench_die("the search failed");
  for (size_t i = 0; i < k; i++) out[i] = (uint32_t)found[i].document;
  free(found);
  return took * 1000;
}
