/* kernel_x86.c - kernel.h for processors with POPCNT, AVX2 or AVX-512. */
#include "vector/kernel_list.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "vector/half.h"

/* ---- POPCNT ---- */

static bool has_popcnt(void) { return __builtin_cpu_supports("popcnt"); }

__attribute__((target("popcnt"))) static void popcnt_distances(const uint64_t *query, const uint64_t *codes, size_t words,
                                                               size_t count, uint16_t *out) {
  for (size_t i = 0; i < count; i++, codes += words) {
    uint64_t sum = 0;
    for (size_t w = 0; w < words; w++) sum += (uint64_t)_mm_popcnt_u64(query[w] ^ codes[w]);
    out[i] = (uint16_t)sum;
  }
}

/* Of the words from the first on. */
__attribute__((target("popcnt"))) static inline uint32_t popcnt_from(const st_weights *query, const uint64_t *code,
                                                                     size_t first, size_t words) {
  uint64_t sum = 0;
  for (size_t w = first; w < words; w++)
    for (int p = 0; p < ST_PLANES; p++)
      sum += (uint64_t)_mm_popcnt_u64((query->signs[w] ^ code[w]) & query->planes[p][w]) << p;
  return (uint32_t)sum;
}

__attribute__((target("popcnt"))) static uint32_t popcnt_weighted(const st_weights *query, const uint64_t *code, size_t words) {
  return popcnt_from(query, code, 0, words);
}

/* The others need no POPCNT. */
static int32_t plain_fine(const int8_t *query, const uint8_t *fine, size_t words) { return st_kernel_any.fine(query, fine, words); }

static void plain_products(const float *query, const float *vector, size_t count, double out[2]) {
  st_kernel_any.products(query, vector, count, out);
}

const st_kernel st_kernel_popcnt = {"popcnt", has_popcnt, popcnt_distances, popcnt_weighted, plain_fine, plain_products, st_halves_get};

/* ---- AVX2 ---- */

#define AVX2 __attribute__((target("avx2,popcnt,f16c")))
enum { FOUR = 4 }; /* words in a register; codes are read, and counted, four at a time as well */

/* F16C is older: every processor with AVX2 has it, and not every compiler can ask. */
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"); }

/* Bits of every byte: those of its halves, looked up. */
AVX2 static inline __m256i count_bytes(__m256i v) {
  const __m256i bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  return _mm256_add_epi8(_mm256_shuffle_epi8(bits, _mm256_and_si256(v, low)),
                         _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
}

AVX2 static inline __m256i load(const uint64_t *words) { return _mm256_loadu_si256((const __m256i *)(const void *)words); }
AVX2 static inline __m256i add_bytes(__m256i v) { return _mm256_sad_epu8(v, _mm256_setzero_si256()); }

/* Four sums, one per lane, of the bits in which a code differs from the query. */
AVX2 static inline __m256i difference(const uint64_t *query, const uint64_t *code, size_t words) {
  __m256i sum = _mm256_setzero_si256();
  for (size_t w = 0; w + FOUR <= words; w += FOUR)
    sum = _mm256_add_epi64(sum, add_bytes(count_bytes(_mm256_xor_si256(load(query + w), load(code + w)))));
  return sum;
}

/* The rest of a code, which fills no register. */
AVX2 static inline uint16_t difference_end(const uint64_t *query, const uint64_t *code, size_t words) {
  uint64_t sum = 0;
  for (size_t w = words / FOUR * FOUR; w < words; w++) sum += (uint64_t)_mm_popcnt_u64(query[w] ^ code[w]);
  return (uint16_t)sum;
}

/* Four codes: their sums, which fit into 16 bits, are put side by side, and added all at once. */
AVX2 static inline void four_distances(const uint64_t *query, const uint64_t *codes, size_t words, uint16_t *out) {
  __m256i a = difference(query, codes, words), b = difference(query, codes + words, words);
  __m256i c = difference(query, codes + 2 * words, words), d = difference(query, codes + 3 * words, words);
  __m256i ab = _mm256_or_si256(a, _mm256_slli_epi64(b, 16)), cd = _mm256_slli_epi64(_mm256_or_si256(c, _mm256_slli_epi64(d, 16)), 32);
  __m256i all = _mm256_or_si256(ab, cd);
  __m128i two = _mm_add_epi16(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
  _mm_storel_epi64((__m128i *)(void *)out, _mm_add_epi16(two, _mm_unpackhi_epi64(two, two)));
  if (words % FOUR)
    for (size_t i = 0; i < FOUR; i++) out[i] = (uint16_t)(out[i] + difference_end(query, codes + i * words, words));
}

AVX2 static void avx2_distances(const uint64_t *query, const uint64_t *codes, size_t words, size_t count, uint16_t *out) {
  size_t i = 0;
  if (words == 12) /* 768 dimensions, the commonest: without loops inside */
    for (; i + FOUR <= count; i += FOUR) four_distances(query, codes + i * 12, 12, out + i);
  for (; i + FOUR <= count; i += FOUR) four_distances(query, codes + i * words, words, out + i);
  popcnt_distances(query, codes + i * words, words, count - i, out + i);
}

AVX2 static uint32_t avx2_weighted(const st_weights *query, const uint64_t *code, size_t words) {
  __m256i sum = _mm256_setzero_si256();
  size_t w = 0;
  for (; w + FOUR <= words; w += FOUR) {
    __m256i differs = _mm256_xor_si256(load(query->signs + w), load(code + w)), bytes = _mm256_setzero_si256();
    for (int p = ST_PLANES - 1; p >= 0; p--) /* a byte counts at most 8 x 15 */
      bytes = _mm256_add_epi8(_mm256_add_epi8(bytes, bytes), count_bytes(_mm256_and_si256(differs, load(query->planes[p] + w))));
    sum = _mm256_add_epi64(sum, add_bytes(bytes));
  }
  __m128i two = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two))) + popcnt_from(query, code, w, words);
}

AVX2 static int32_t avx2_fine(const int8_t *query, const uint8_t *fine, size_t words) {
  const __m256i low = _mm256_set1_epi8(15), ones = _mm256_set1_epi16(1);
  __m256i sum = _mm256_setzero_si256();
  for (; words; words--, query += 64, fine += ST_FINE_BYTES) {
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)fine);
    __m256i first = _mm256_loadu_si256((const __m256i *)(const void *)query);
    __m256i second = _mm256_loadu_si256((const __m256i *)(const void *)(query + ST_FINE_BYTES));
    __m256i pairs = _mm256_add_epi16(_mm256_maddubs_epi16(_mm256_and_si256(bytes, low), first), /* at most 4 x 15 x 127 */
                                     _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16(bytes, 4), low), second));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
  }
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
}

/* Products are rounded before they are added, as they are elsewhere: no fused instruction. */
AVX2 static void avx2_products(const float *query, const float *vector, size_t count, double out[2]) {
  __m256d dot[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()}, square[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  double lanes[2][ST_LANES];
  size_t at = 0;
  for (; at + ST_LANES <= count; at += ST_LANES)
    for (size_t half = 0; half < 2; half++) {
      __m256d q = _mm256_cvtps_pd(_mm_loadu_ps(query + at + 4 * half)), v = _mm256_cvtps_pd(_mm_loadu_ps(vector + at + 4 * half));
      dot[half] = _mm256_add_pd(dot[half], _mm256_mul_pd(q, v));
      square[half] = _mm256_add_pd(square[half], _mm256_mul_pd(v, v));
    }
  for (size_t half = 0; half < 2; half++) {
    _mm256_storeu_pd(lanes[0] + 4 * half, dot[half]);
    _mm256_storeu_pd(lanes[1] + 4 * half, square[half]);
  }
  st_add_products(query + at, vector + at, count - at, lanes, out);
}

AVX2 static void avx2_widen(const char *halves, size_t count, float *out) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(halves + i * ST_HALF_BYTES))));
  st_halves_get(halves + i * ST_HALF_BYTES, count - i, out + i);
}

const st_kernel st_kernel_avx2 = {"avx2", has_avx2, avx2_distances, avx2_weighted, avx2_fine, avx2_products, avx2_widen};

/* ---- AVX-512 with VPOPCNTDQ ---- */

#define AVX512 __attribute__((target("avx2,popcnt,f16c,avx512f,avx512vpopcntdq")))
enum { EIGHT = 8 }; /* words in a register */

static bool has_avx512(void) {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq");
}

/* Eight words, or what is left of them and zeros. */
AVX512 static inline __m512i load_some(const uint64_t *words, size_t left) {
  return _mm512_maskz_loadu_epi64((__mmask8)(left >= EIGHT ? 0xFF : (1u << left) - 1), words);
}

AVX512 static inline uint16_t one_distance(const uint64_t *query, const uint64_t *code, size_t words) {
  __m512i sum = _mm512_setzero_si512();
  for (size_t w = 0; w < words; w += EIGHT)
    sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_xor_si512(load_some(query + w, words - w), load_some(code + w, words - w))));
  return (uint16_t)_mm512_reduce_add_epi64(sum);
}

AVX512 static void avx512_distances(const uint64_t *query, const uint64_t *codes, size_t words, size_t count, uint16_t *out) {
  if (words == 12)
    for (size_t i = 0; i < count; i++) out[i] = one_distance(query, codes + i * 12, 12);
  else
    for (size_t i = 0; i < count; i++) out[i] = one_distance(query, codes + i * words, words);
}

AVX512 static uint32_t avx512_weighted(const st_weights *query, const uint64_t *code, size_t words) {
  __m512i sum = _mm512_setzero_si512();
  for (size_t w = 0; w < words; w += EIGHT) {
    __m512i differs = _mm512_xor_si512(load_some(query->signs + w, words - w), load_some(code + w, words - w));
    __m512i bits = _mm512_setzero_si512();
    for (int p = ST_PLANES - 1; p >= 0; p--)
      bits = _mm512_add_epi64(_mm512_add_epi64(bits, bits),
                              _mm512_popcnt_epi64(_mm512_and_si512(differs, load_some(query->planes[p] + w, words - w))));
    sum = _mm512_add_epi64(sum, bits);
  }
  return (uint32_t)_mm512_reduce_add_epi64(sum);
}

const st_kernel st_kernel_avx512 = {"avx512", has_avx512, avx512_distances, avx512_weighted, avx2_fine, avx2_products, avx2_widen};

#else
typedef int st_no_x86; /* a file must declare something */
#endif
