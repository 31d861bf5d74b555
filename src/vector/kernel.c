/* kernel.c - the variant for any processor, and which one is used.  See kernel.h. */
#include "vector/kernel.h"

#include "vector/half.h"
#include "vector/kernel_list.h"

static bool always(void) { return true; }

static void distances(const uint64_t *query, const uint64_t *codes, size_t words, size_t count, uint16_t *out) {
  for (size_t i = 0; i < count; i++, codes += words) {
    uint64_t sum = 0;
    for (size_t w = 0; w < words; w++) sum += st_count_bits(query[w] ^ codes[w]);
    out[i] = (uint16_t)sum;
  }
}

static uint32_t weighted(const st_weights *query, const uint64_t *code, size_t words) {
  uint64_t sum = 0;
  for (size_t w = 0; w < words; w++)
    for (int p = 0; p < ST_PLANES; p++) sum += st_count_bits((query->signs[w] ^ code[w]) & query->planes[p][w]) << p;
  return (uint32_t)sum;
}

static int32_t fine_sum(const int8_t *query, const uint8_t *fine, size_t words) {
  int32_t sum = 0;
  for (; words; words--, query += 64, fine += ST_FINE_BYTES)
    for (size_t i = 0; i < ST_FINE_BYTES; i++) sum += query[i] * (fine[i] & 15) + query[i + ST_FINE_BYTES] * (fine[i] >> 4);
  return sum;
}

static void products(const float *query, const float *vector, size_t count, double out[2]) {
  double lanes[2][ST_LANES] = {{0}};
  size_t at = 0;
  for (; at + ST_LANES <= count; at += ST_LANES)
    for (size_t i = 0; i < ST_LANES; i++) {
      lanes[0][i] += (double)query[at + i] * (double)vector[at + i];
      lanes[1][i] += (double)vector[at + i] * (double)vector[at + i];
    }
  st_add_products(query + at, vector + at, count - at, lanes, out);
}

const st_kernel st_kernel_any = {"any", always, distances, weighted, fine_sum, products, st_halves_get};

static const st_kernel *const kernels[] = {
#if defined(__x86_64__)
    &st_kernel_avx512, &st_kernel_avx2, &st_kernel_popcnt,
#elif defined(ST_KERNEL_NEON)
    &st_kernel_neon,
#endif
    &st_kernel_any,
};

const st_kernel *const *st_kernels(size_t *count) {
  *count = sizeof kernels / sizeof *kernels;
  return kernels;
}

const st_kernel *st_kernel_best(void) {
  const st_kernel *const *kernel = kernels;
  while (!(*kernel)->usable()) kernel++;
  return *kernel;
}
