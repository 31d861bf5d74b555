/* vectors.h - made-up vectors, kept in memory as halves, and which of them are nearest to a query. */
#ifndef BENCH_VECTORS_H
#define BENCH_VECTORS_H

#include <stddef.h>
#include <stdint.h>

enum { DIMENSION = 768 };

typedef enum bench_shape {
  CLUSTERS,   /* a thousand clusters that overlap, in 32 dimensions of the 768, and a little noise in all */
  NEAR_NOISE, /* the same clusters, but four fifths of every vector are noise */
} bench_shape;

typedef struct bench_vectors {
  bench_shape shape;
  size_t count;
  char *halves;
  float *basis; /* of the dimensions that clusters are in */
} bench_vectors;

void bench_vectors_make(bench_vectors *vectors, bench_shape shape, size_t count);
void bench_vectors_free(bench_vectors *vectors);
/* A vector of the same shape that is not among them. */
void bench_vectors_query(const bench_vectors *vectors, uint64_t which, float *out);
void bench_vectors_read(const bench_vectors *vectors, size_t which, float *out);

/* The k nearest to each of the queries, the nearest first, by comparing all. */
void bench_vectors_nearest(const bench_vectors *vectors, const float *queries, size_t nqueries, size_t k, uint32_t *out);

/* Codes of all of them in a new file; document i is vector i. */
struct st_codes *bench_vectors_code(const bench_vectors *vectors, const char *path);

/* The k nearest to a query, by their codes: which they are into out, and the processor time it took, in milliseconds. */
double bench_vectors_search(const bench_vectors *vectors, struct st_codes *codes, const float *query, size_t k, uint32_t *out);

#endif
