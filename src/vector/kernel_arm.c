/* kernel_arm.c - kernel.h for 64-bit ARM, where every processor has NEON. */
#include "vector/kernel_list.h"

#if defined(ST_KERNEL_NEON)

#include <arm_neon.h>

#include "vector/half.h"

enum { TWO = 2 }; /* words in a register */

static bool always(void) { return true; }

static inline uint8x16_t load(const uint64_t *words) { return vreinterpretq_u8_u64(vld1q_u64(words)); }
static inline uint64x2_t add_bytes(uint8x16_t v) { return vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(v))); }

static void distances(const uint64_t *query, const uint64_t *codes, size_t words, size_t count, uint16_t *out) {
  for (size_t i = 0; i < count; i++, codes += words) {
    uint64x2_t sum = vdupq_n_u64(0);
    size_t w = 0;
    for (; w + TWO <= words; w += TWO) sum = vaddq_u64(sum, add_bytes(vcntq_u8(veorq_u8(load(query + w), load(codes + w)))));
    uint64_t total = vaddvq_u64(sum);
    if (w < words) total += st_count_bits(query[w] ^ codes[w]);
    out[i] = (uint16_t)total;
  }
}

static uint32_t weighted(const st_weights *query, const uint64_t *code, size_t words) {
  uint64x2_t sum = vdupq_n_u64(0);
  uint64_t rest = 0;
  size_t w = 0;
  for (; w + TWO <= words; w += TWO) {
    uint8x16_t differs = veorq_u8(load(query->signs + w), load(code + w)), bytes = vdupq_n_u8(0);
    for (int p = ST_PLANES - 1; p >= 0; p--) /* a byte counts at most 8 x 15 */
      bytes = vaddq_u8(vaddq_u8(bytes, bytes), vcntq_u8(vandq_u8(differs, load(query->planes[p] + w))));
    sum = vaddq_u64(sum, add_bytes(bytes));
  }
  for (int p = 0; w < words && p < ST_PLANES; p++)
    rest += st_count_bits((query->signs[w] ^ code[w]) & query->planes[p][w]) << p;
  return (uint32_t)(vaddvq_u64(sum) + rest);
}

static void widen(const char *halves, size_t count, float *out) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    uint16x4_t four = vreinterpret_u16_u8(vld1_u8((const uint8_t *)halves + i * ST_HALF_BYTES));
    vst1q_f32(out + i, vcvt_f32_f16(vreinterpret_f16_u16(four)));
  }
  st_halves_get(halves + i * ST_HALF_BYTES, count - i, out + i);
}

static inline int32x4_t multiply(int32x4_t sum, int8x16_t query, uint8x16_t fine) {
  int8x16_t small = vreinterpretq_s8_u8(fine);
  int16x8_t products = vmlal_s8(vmull_s8(vget_low_s8(query), vget_low_s8(small)), vget_high_s8(query), vget_high_s8(small));
  return vpadalq_s16(sum, products);
}

static int32_t fine_sum(const int8_t *query, const uint8_t *fine, size_t words) {
  int32x4_t sum = vdupq_n_s32(0);
  for (; words; words--, query += 64, fine += ST_FINE_BYTES)
    for (size_t i = 0; i < ST_FINE_BYTES; i += 16) {
      uint8x16_t bytes = vld1q_u8(fine + i);
      sum = multiply(sum, vld1q_s8(query + i), vandq_u8(bytes, vdupq_n_u8(15)));
      sum = multiply(sum, vld1q_s8(query + ST_FINE_BYTES + i), vshrq_n_u8(bytes, 4));
    }
  return vaddvq_s32(sum);
}

/* The compiler uses NEON for these by itself. */
static void products(const float *query, const float *vector, size_t count, double out[2]) {
  st_kernel_any.products(query, vector, count, out);
}

const st_kernel st_kernel_neon = {"neon", always, distances, weighted, fine_sum, products, widen};

#else
typedef int st_no_arm; /* a file must declare something */
#endif
