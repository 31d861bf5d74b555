/* kernel_list.h - the variants of kernel.h, for kernel.c. */
#ifndef ST_KERNEL_LIST_H
#define ST_KERNEL_LIST_H

#include "vector/kernel.h"

#if defined(__x86_64__)
extern const st_kernel st_kernel_avx512, st_kernel_avx2, st_kernel_popcnt;
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ST_KERNEL_NEON 1
extern const st_kernel st_kernel_neon;
#endif

/* The variant for any processor. */
extern const st_kernel st_kernel_any;

/* What the variants share: words that are left over at the end of a code, */
static inline uint64_t st_count_bits(uint64_t word) {
  word -= word >> 1 & UINT64_C(0x5555555555555555);
  word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
  word = (word + (word >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
  return word * UINT64_C(0x0101010101010101) >> 56;
}

/* and the end of st_kernel.products: numbers that fill no register, then the sum of all lanes. */
static inline void st_add_products(const float *query, const float *vector, size_t count, double lanes[2][ST_LANES], double out[2]) {
  for (size_t i = 0; i < count; i++) {
    lanes[0][i] += (double)query[i] * (double)vector[i];
    lanes[1][i] += (double)vector[i] * (double)vector[i];
  }
  for (int which = 0; which < 2; which++) {
    out[which] = 0;
    for (int i = 0; i < ST_LANES; i++) out[which] += lanes[which][i];
  }
}

#endif
