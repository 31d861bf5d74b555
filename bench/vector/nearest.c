/* nearest.c - the nearest of a million vectors: how long it takes beside a bare scan of the same codes, and how many
** of the truly nearest are found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "vector/code.h"
#include "vector/codes.h"
#include "vector/near.h"
#include "vector/vectors.h"

enum { ROWS = 1000000, QUERIES = 50, TURNS = 3, K = 10, MARK = 1 };

static st_codes *make_codes(const char *path, const bench_vectors *vectors) {
  st_codes_kind kind = {.dimension = DIMENSION, .model = MARK};
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

typedef struct source {
  const bench_vectors *vectors;
  size_t fetched;
} source;

static bool fetch(void *context, const st_code_row *const *rows, size_t count, float *out, bool *there) {
  source *from = context;
  for (size_t i = 0; i < count; i++) {
    bench_vectors_read(from->vectors, (size_t)rows[i]->document, out + i * DIMENSION);
    there[i] = true;
  }
  from->fetched += count;
  return true;
}

/* The smallest distance, from the fastest loop there is: nothing but reading the codes and counting. */
static uint16_t scan_bare(st_codes *codes, const uint64_t *query) {
  static uint16_t distances[ST_CODES_BLOCK];
  size_t rows = (size_t)st_codes_state_of(codes)->count;
  uint16_t least = UINT16_MAX;
  for (size_t first = 0; first < rows; first += ST_CODES_BLOCK) {
    st_codes_block block;
    if (st_codes_read(codes, first / ST_CODES_BLOCK, &block) != ST_CODES_OK) bench_die("the codes are damaged");
    st_kernel_best()->distances(query, block.codes, st_code_words(DIMENSION), block.count, distances);
    for (size_t i = 0; i < block.count; i++)
      if (distances[i] < least) least = distances[i];
  }
  return least;
}

static size_t in_common(const st_near *found, size_t count, const uint32_t *truth) {
  size_t common = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < K; j++) common += (uint32_t)found[i].document == truth[j];
  return common;
}

typedef struct figures {
  bench_samples bare, search, ratio;
  size_t common, fetched;
} figures;

static void measure(st_codes *codes, source *from, const float *query, const uint32_t *truth, figures *f) {
  st_near_search search = {.codes = codes, .query = query, .k = K, .fetch = fetch, .context = from};
  st_near found[K];
  st_code_query code;
  size_t count;
  bool stopped;
  volatile uint16_t least;
  if (!st_code_query_init(&code, query, DIMENSION)) bench_die("out of memory");
  double start = bench_cpu();
  least = scan_bare(codes, code.weights.signs);
  double middle = bench_cpu();
  if (st_near_find(&search, found, &count, &stopped) != ST_CODES_OK) bench_die("the search failed");
  double end = bench_cpu();
  (void)least;
  st_code_query_free(&code);
  bench_add(&f->bare, (middle - start) * 1000);
  bench_add(&f->search, (end - middle) * 1000);
  bench_add(&f->ratio, (end - middle) / (middle - start));
  f->common += in_common(found, count, truth);
}

static void put(const char *shape, const char *name, double value) {
  char text[64];
  snprintf(text, sizeof text, "%s_%s", shape, name);
  bench_put(text, value);
}

static void measure_shape(const bench_options *options, bench_shape shape, const char *name) {
  bench_vectors vectors;
  figures f = {.common = 0};
  float *queries = malloc(QUERIES * DIMENSION * sizeof *queries);
  uint32_t truth[QUERIES * K];
  bench_path path = bench_join(options->dir, name);
  if (!queries) bench_die("out of memory");
  bench_vectors_make(&vectors, shape, options->rows ? (size_t)options->rows : ROWS);
  for (size_t q = 0; q < QUERIES; q++) bench_vectors_query(&vectors, q, queries + q * DIMENSION);
  bench_vectors_nearest(&vectors, queries, QUERIES, K, truth);
  st_codes *codes = make_codes(path.text, &vectors);
  source from = {.vectors = &vectors};
  for (int turn = 0; turn < TURNS; turn++)
    for (size_t q = 0; q < QUERIES; q++) measure(codes, &from, queries + q * DIMENSION, truth + q * K, &f);
  put(name, "recall", (double)f.common / (TURNS * QUERIES * K));
  put(name, "bare_ms", bench_part(&f.bare, 0.5));
  put(name, "search_ms", bench_part(&f.search, 0.5));
  put(name, "ratio", bench_part(&f.ratio, 0.5));
  put(name, "fetched", (double)from.fetched / (TURNS * QUERIES));
  st_codes_close(codes);
  bench_vectors_free(&vectors);
  free(queries);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  measure_shape(&options, CLUSTERS, "clusters");
  measure_shape(&options, NEAR_NOISE, "near_noise");
  measure_shape(&options, NOISE, "noise");
  return bench_finish();
}
