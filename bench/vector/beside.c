/* beside.c - the nearest of many vectors, for a comparison: the vectors and the queries are left in the directory, as
** floats of 32 bits, and with the queries' nearest, as 32-bit numbers. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "vector/codes.h"
#include "vector/vectors.h"

enum { QUERIES = 20, TURNS = 3, K = 10 };

static FILE *create(const char *dir, const char *name) {
  bench_path path = bench_join(dir, name);
  FILE *file = fopen(path.text, "wb");
  if (!file) bench_die("%s: cannot be written", path.text);
  return file;
}

static void leave_vectors(const bench_vectors *vectors, const char *dir) {
  FILE *file = create(dir, "vectors");
  float one[DIMENSION];
  for (size_t i = 0; i < vectors->count; i++) {
    bench_vectors_read(vectors, i, one);
    if (fwrite(one, sizeof one, 1, file) != 1) bench_die("the vectors cannot be written");
  }
  fclose(file);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  bench_vectors vectors;
  bench_samples samples = {.count = 0};
  bench_path path = bench_join(options.dir, "codes");
  bench_vectors_make(&vectors, CLUSTERS, options.rows ? (size_t)options.rows : 100000);
  leave_vectors(&vectors, options.dir);
  st_codes *codes = bench_vectors_code(&vectors, path.text);
  FILE *queries = create(options.dir, "queries"), *nearest = create(options.dir, "nearest");
  for (size_t n = 0; n < TURNS * QUERIES; n++) {
    float query[DIMENSION];
    uint32_t found[K];
    bench_vectors_query(&vectors, n % QUERIES, query);
    bench_add(&samples, bench_vectors_search(&vectors, codes, query, K, found));
    if (n >= QUERIES) continue;
    if (fwrite(query, sizeof query, 1, queries) != 1 || fwrite(found, sizeof found, 1, nearest) != 1) bench_die("the queries cannot be written");
  }
  fclose(queries);
  fclose(nearest);
  bench_put_samples("stele_near_cpu", &samples);
  bench_put("stele_near_rss_mb", bench_peak_rss());
  st_codes_close(codes);
  bench_vectors_free(&vectors);
  return bench_finish();
}
