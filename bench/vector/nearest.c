/* nearest.c - the nearest of many vectors, a million unless told otherwise: how long it takes beside a bare scan of the same codes, and how many
** of the truly nearest are found.  Processor time of one thread; both take turns. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "vector/code.h"
#include "vector/codes.h"
#include "vector/vectors.h"

enum { ROWS = 1000000, QUERIES = 25, TURNS = 3, K = 10 };

/* The smallest distance, from the fastest loop there is: nothing but reading the codes and counting. */
static uint16_t scan(st_codes *codes, const uint64_t *query) {
  static uint16_t distances[ST_CODES_BLOCK];
  uint16_t least = UINT16_MAX;
  for (size_t first = 0; first < st_codes_state_of(codes)->count; first += ST_CODES_BLOCK) {
    st_codes_block block;
    if (st_codes_read(codes, first / ST_CODES_BLOCK, &block) != ST_CODES_OK) bench_die("the codes are damaged");
    st_kernel_best()->distances(query, block.codes, st_code_words(DIMENSION), block.count, distances);
    for (size_t i = 0; i < block.count; i++)
      if (distances[i] < least) least = distances[i];
  }
  return least;
}

static double scan_bare(st_codes *codes, const float *query) {
  st_code_query code;
  if (!st_code_query_init(&code, query, DIMENSION)) bench_die("out of memory");
  double start = bench_cpu();
  volatile uint16_t least = scan(codes, code.weights.signs);
  double took = bench_cpu() - start;
  (void)least;
  st_code_query_free(&code);
  return took * 1000;
}

static size_t in_common(const uint32_t *found, const uint32_t *truth) {
  size_t common = 0;
  for (size_t i = 0; i < K; i++)
    for (size_t j = 0; j < K; j++) common += found[i] == truth[j];
  return common;
}

static void put(const char *shape, const char *name, double value) {
  char text[64];
  snprintf(text, sizeof text, "%s_%s", shape, name);
  bench_put(text, value);
}

static void measure(const bench_vectors *vectors, st_codes *codes, const float *queries, const uint32_t *truth, const char *name) {
  bench_samples bare = {.count = 0}, search = {.count = 0}, ratio = {.count = 0};
  size_t common = 0;
  for (size_t n = 0; n < TURNS * QUERIES; n++) {
    const float *query = queries + n % QUERIES * DIMENSION;
    uint32_t found[K];
    double scanned = scan_bare(codes, query), took = bench_vectors_search(vectors, codes, query, K, found);
    bench_add(&bare, scanned);
    bench_add(&search, took);
    bench_add(&ratio, took / scanned);
    common += in_common(found, truth + n % QUERIES * K);
  }
  put(name, "recall", (double)common / (TURNS * QUERIES * K));
  put(name, "bare_ms", bench_part(&bare, 0.5));
  put(name, "search_ms", bench_part(&search, 0.5));
  put(name, "ratio", bench_part(&ratio, 0.5));
}

static void measure_shape(const bench_options *options, bench_shape shape, const char *name) {
  bench_vectors vectors;
  float *queries = malloc(QUERIES * DIMENSION * sizeof *queries);
  uint32_t truth[QUERIES * K];
  bench_path path = bench_join(options->dir, name);
  if (!queries) bench_die("out of memory");
  bench_vectors_make(&vectors, shape, options->rows ? (size_t)options->rows : ROWS);
  for (size_t q = 0; q < QUERIES; q++) bench_vectors_query(&vectors, q, queries + q * DIMENSION);
  bench_vectors_nearest(&vectors, queries, QUERIES, K, truth);
  st_codes *codes = bench_vectors_code(&vectors, path.text);
  measure(&vectors, codes, queries, truth, name);
  st_codes_close(codes);
  bench_vectors_free(&vectors);
  free(queries);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  measure_shape(&options, CLUSTERS, "clusters");
  measure_shape(&options, NEAR_NOISE, "noise");
  return bench_finish();
}
