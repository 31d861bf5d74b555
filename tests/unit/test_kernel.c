/* test_kernel.c - halves, rotations and codes; and that the loops for every processor say the same. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "vector/code.h"
#include "vector/cosine.h"
#include "vector/half.h"
#include "vector/kernel.h"

static uint64_t seed = 1;

static uint64_t any_word(void) { return st_hash64_mix(st_hash64_mix(seed += UINT64_C(0x9E3779B97F4A7C15))); }

/* About normal. */
static float any_number(void) {
  uint64_t bits = any_word();
  return (float)(bits & 0xFFFF) + (float)(bits >> 16 & 0xFFFF) - (float)(bits >> 32 & 0xFFFF) - (float)(bits >> 48);
}

static void *room_for(size_t bytes) {
  void *room = malloc(bytes ? bytes : 1);
  assert_non_null(room);
  return room;
}

static float *any_vector(size_t dimension) {
  float *vector = room_for(dimension * sizeof *vector);
  for (size_t i = 0; i < dimension; i++) vector[i] = any_number();
  return vector;
}

static float from_bits(uint32_t bits) {
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* ---- halves ---- */

static void halves_come_back(void **state) {
  (void)state;
  for (uint32_t half = 0; half <= UINT16_MAX; half++) {
    float number = st_half_to((uint16_t)half);
    if (isnan(number))
      assert_true(isnan(st_half_to(st_half_from(number))));
    else
      assert_int_equal(st_half_from(number), half);
  }
  assert_true(st_half_to(0x3C00) == 1 && st_half_to(0xC000) == -2 && st_half_to(0x7BFF) == 65504);
  assert_true(st_half_to(1) == 0x1p-24f && st_half_to(0x0400) == 0x1p-14f && isinf(st_half_to(0x7C00)));
}

/* Between two halves the nearer one, and in the middle the even one. */
static void halves_are_rounded(void **state) {
  (void)state;
  for (uint16_t half = 0; half < 0x7BFF; half++) {
    double low = st_half_to(half), high = st_half_to(half + 1), middle = (low + high) / 2;
    uint16_t even = half % 2 ? half + 1 : half;
    assert_int_equal(st_half_from((float)middle), even);
    assert_int_equal(st_half_from(nextafterf((float)middle, 0)), half);
    assert_int_equal(st_half_from(nextafterf((float)middle, FLT_MAX)), half + 1);
    assert_int_equal(st_half_from(-(float)middle), even | 0x8000);
  }
  assert_int_equal(st_half_from(65519.996f), 0x7BFF);
  assert_int_equal(st_half_from(65520), 0x7C00);
  assert_int_equal(st_half_from(-FLT_MAX), 0xFC00);
  assert_int_equal(st_half_from(FLT_TRUE_MIN), 0);
  assert_true(isnan(st_half_to(st_half_from(from_bits(0x7FC00001)))));
}

/* ---- the variants ---- */

typedef void each_variant(const st_kernel *one, const st_kernel *other, size_t words);

/* Compare every variant that this machine can use with the last, over many sizes. */
static void with_variants(each_variant *compare) {
  static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 24, 48, 64, 250, 1023};
  size_t count;
  const st_kernel *const *kernels = st_kernels(&count);
  for (size_t i = 0; i + 1 < count; i++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes && kernels[i]->usable(); s++) compare(kernels[i], kernels[count - 1], sizes[s]);
}

static uint64_t *any_words(size_t count) {
  uint64_t *words = room_for(count * sizeof *words);
  for (size_t i = 0; i < count; i++) words[i] = i % 17 ? any_word() : i % 2 ? 0 : UINT64_MAX;
  return words;
}

static void compare_distances(const st_kernel *one, const st_kernel *other, size_t words) {
  enum { CODES = 131 };
  uint64_t *codes = any_words(CODES * words), *query = any_words(words);
  uint16_t a[CODES + 1], b[CODES + 1];
  for (size_t w = 0; w < words; w++) codes[words + w] = ~query[w]; /* the farthest there is */
  for (size_t count = CODES - 8; count <= CODES; count++) {
    memset(a, 0xEE, sizeof a);
    memset(b, 0xEE, sizeof b);
    one->distances(query, codes, words, count, a);
    other->distances(query, codes, words, count, b);
    if (memcmp(a, b, sizeof a)) fail_msg("%s: distances of %zu words", one->name, words);
    assert_int_equal(a[1], words * 64);
  }
  free(codes);
  free(query);
}

static void compare_weighted(const st_kernel *one, const st_kernel *other, size_t words) {
  uint64_t *bits = any_words((2 + ST_PLANES) * words), *code = bits + (1 + ST_PLANES) * words;
  st_weights query = {.signs = bits};
  for (size_t p = 0; p < ST_PLANES; p++) query.planes[p] = bits + (1 + p) * words;
  assert_int_equal(one->weighted(&query, code, words), other->weighted(&query, code, words));
  for (size_t w = 0; w < words; w++) code[w] = ~query.signs[w];
  memset(bits + words, 0xFF, ST_PLANES * words * sizeof *bits);
  assert_int_equal(one->weighted(&query, code, words), words * 64 * 15);
  free(bits);
}

static void compare_fine(const st_kernel *one, const st_kernel *other, size_t words) {
  uint64_t *bits = any_words(words * 4), *numbers = any_words(words * 8);
  uint8_t *fine = (uint8_t *)bits;
  int8_t *query = (int8_t *)numbers;
  for (size_t i = 0; i < words * 64; i++) query[i] = query[i] == INT8_MIN ? 0 : query[i];
  assert_int_equal(one->fine(query, fine, words), other->fine(query, fine, words));
  memset(fine, 0xFF, words * ST_FINE_BYTES);
  memset(query, INT8_MAX, words * 64);
  assert_int_equal(one->fine(query, fine, words), words * 64 * 15 * INT8_MAX);
  memset(query, -INT8_MAX, words * 64);
  assert_int_equal(one->fine(query, fine, words), -(int)words * 64 * 15 * INT8_MAX);
  free(bits);
  free(numbers);
}

static void compare_products(const st_kernel *one, const st_kernel *other, size_t words) {
  for (size_t count = words * 3; count < words * 3 + 9; count++) {
    float *a = any_vector(count), *b = any_vector(count);
    double sums[2], others[2];
    one->products(a, b, count, sums);
    other->products(a, b, count, others);
    if (memcmp(sums, others, sizeof sums)) fail_msg("%s: products of %zu numbers", one->name, count);
    free(a);
    free(b);
  }
}

static void compare_widen(const st_kernel *one, const st_kernel *other, size_t words) {
  char *halves = (char *)any_words(words);
  float *a = room_for(words * 4 * sizeof *a), *b = room_for(words * 4 * sizeof *b);
  for (size_t i = 1; i < words * 8; i += 2) halves[i] &= 0x7B; /* all finite: not every NaN is kept as it is */
  one->widen(halves, words * 4, a);
  other->widen(halves, words * 4, b);
  assert_memory_equal(a, b, words * 4 * sizeof *a);
  free(halves);
  free(a);
  free(b);
}

static void variants_agree(void **state) {
  (void)state;
  with_variants(compare_distances);
  with_variants(compare_weighted);
  with_variants(compare_fine);
  with_variants(compare_products);
  with_variants(compare_widen);
}

static void the_best_is_usable(void **state) {
  (void)state;
  size_t count;
  const st_kernel *const *kernels = st_kernels(&count);
  assert_true(st_kernel_best()->usable());
  assert_true(kernels[count - 1]->usable());
}

/* ---- rotations and codes ---- */

static void rotations_keep_angles(void **state) {
  (void)state;
  static const size_t dimensions[] = {1, 2, 63, 64, 65, 100, 384, 768, 1000, 3072, 16000};
  for (size_t d = 0; d < sizeof dimensions / sizeof *dimensions; d++) {
    size_t dimension = dimensions[d], rotated = st_rotated(dimension);
    float *a = any_vector(rotated), *b = any_vector(rotated);
    double cosine = st_cosine(a, b, dimension);
    st_rotate(a, dimension);
    st_rotate(b, dimension);
    assert_true(fabs(st_cosine(a, b, rotated) - cosine) < 1e-5);
    free(a);
    free(b);
  }
}

/* Codes are kept in files: that of a vector is always the same. */
static void rotations_are_fixed(void **state) {
  (void)state;
  float vector[768], room[768];
  uint8_t fine[12 * ST_FINE_BYTES];
  uint64_t code[12], hash = 0;
  st_code_shares shares;
  for (int i = 0; i < 768; i++) vector[i] = (float)(i * 37 % 101 - 50);
  st_code_make(vector, 768, room, code, fine, &shares);
  for (int w = 0; w < 12; w++) hash = st_hash64_mix(hash ^ code[w]);
  assert_int_equal(hash, UINT64_C(0xDE0D5D31B1ADB490));
}

/* One number only, all the same, a long tail of zeros: each is spread over all dimensions. */
static void rotations_spread(void **state) {
  (void)state;
  static float shapes[3][768], room[768];
  uint8_t fine[12 * ST_FINE_BYTES];
  uint64_t code[12];
  st_code_shares shares;
  shapes[0][5] = 3;
  for (int i = 0; i < 768; i++) shapes[1][i] = 2;
  for (int i = 0; i < 20; i++) shapes[2][i] = (float)(i - 7);
  for (int s = 0; s < 3; s++) {
    int ones = 0;
    st_code_make(shapes[s], 768, room, code, fine, &shares);
    for (int i = 0; i < 768; i++) ones += code[i / 64] >> i % 64 & 1;
    assert_in_range(ones, 384 - 90, 384 + 90);
    assert_true(shares.code > 0.7 * sqrt(768)); /* of one number alone it were 1 */
  }
}

/* How estimates differ from the truth. */
typedef struct offness {
  double mean, squares, said;
} offness;

static void note(offness *off, double estimate, double cosine, double said, int tries) {
  off->mean += (estimate - cosine) / tries;
  off->squares += (estimate - cosine) * (estimate - cosine) / tries;
  off->said += said / tries;
}

static void check(const offness *off) {
  assert_true(fabs(off->mean) < off->said / 4);
  assert_true(sqrt(off->squares) > off->said * 0.75 && sqrt(off->squares) < off->said * 1.3);
}

/* Estimates are right on average, and off by what they are said to be. */
static void estimates_are_near(void **state) {
  (void)state;
  enum { TRIES = 400, DIMENSION = 768, WORDS = DIMENSION / 64 };
  static const double mixed[] = {0, 0.3, 0.8};
  const st_kernel *kernel = st_kernel_best();
  for (size_t m = 0; m < 3; m++) {
    offness coarse = {0}, fine = {0};
    for (int i = 0; i < TRIES; i++) {
      float *a = any_vector(DIMENSION), *b = any_vector(DIMENSION), room[DIMENSION];
      uint64_t code[WORDS];
      uint8_t levels[WORDS * ST_FINE_BYTES];
      st_code_shares shares;
      st_code_query query;
      for (int k = 0; k < DIMENSION; k++) b[k] = (float)(mixed[m] * (double)a[k] + (1 - mixed[m]) * (double)b[k]);
      double cosine = st_cosine(a, b, DIMENSION);
      st_code_make(b, DIMENSION, room, code, levels, &shares);
      assert_true(st_code_query_init(&query, a, DIMENSION));
      note(&coarse, st_code_cosine(&query, kernel->weighted(&query.weights, code, WORDS), shares.code), cosine, st_code_error(WORDS, cosine), TRIES);
      note(&fine, st_code_fine_cosine(&query, kernel->fine(query.fine, levels, WORDS), shares.fine), cosine, st_code_fine_error(WORDS, cosine), TRIES);
      st_code_query_free(&query);
      free(a);
      free(b);
    }
    check(&coarse);
    check(&fine);
  }
}

static void directions_are_known(void **state) {
  (void)state;
  assert_false(st_vector_directed((float[]){0, -0.0f}, 2));
  assert_false(st_vector_directed((float[]){1, NAN}, 2));
  assert_false(st_vector_directed((float[]){INFINITY, 1}, 2));
  assert_false(st_vector_directed((float[]){1}, 0));
  assert_true(st_vector_directed((float[]){FLT_MAX, FLT_MAX}, 2));
  assert_true(st_vector_directed((float[]){0, FLT_TRUE_MIN}, 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(halves_come_back),      cmocka_unit_test(halves_are_rounded),  cmocka_unit_test(variants_agree),
      cmocka_unit_test(the_best_is_usable),    cmocka_unit_test(rotations_keep_angles), cmocka_unit_test(rotations_are_fixed),
      cmocka_unit_test(rotations_spread),      cmocka_unit_test(estimates_are_near),  cmocka_unit_test(directions_are_known),
  };
  return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
