/* test_vector.c - vectors as bytes and as text, and how near they are. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/vector.h"
#include "vector/cosine.h"

#define MAX (1u << 20)

static void bytes_are_little_endian(void **state) {
  (void)state;
  char bytes[8];
  float back[2];
  st_vector_put(bytes, 1.0f);
  st_vector_put(bytes + 4, -0.1f);
  assert_memory_equal(bytes, "\x00\x00\x80\x3f\xcd\xcc\xcc\xbd", 8);
  st_vector_read(bytes, 2, back);
  assert_true(back[0] == 1.0f && back[1] == -0.1f);
}

static void arrays_of_numbers_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t count;
    float last;
  } cases[] = {
      {"[1]", 1, 1},
      {"[1,2]", 2, 2},
      {" [ 0.5 ,\t-2e-1 ]\n", 2, -0.2f},
      {"[1.0, 3.4028234663852886e38]", 2, FLT_MAX},
      {"[1e-50]", 1, 0},
  };
  float *out = st_alloc(ST_VECTOR_MAX * sizeof *out);
  assert_non_null(out);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(st_vector_parse(cases[i].text, strlen(cases[i].text), out), cases[i].count);
    assert_true(out[cases[i].count - 1] == cases[i].last);
  }
  st_free(out);
}

static void other_texts_are_no_vectors(void **state) {
  (void)state;
  static const char *const cases[] = {"",    "[",     "]",       "[]",      "[ ]",    "1",      "[1",     "[1,",    "[1,]",
                                      "[,]", "[1]x",  "[1 2]",   "[1],[2]", "[NaN]",  "[null]", "[\"1\"]", "[[1]]", "[1e39]",
                                      "[-]", "[0x1]", "[1,,2]",  "{\"a\":1}"};
  float *out = st_alloc(ST_VECTOR_MAX * sizeof *out);
  assert_non_null(out);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (st_vector_parse(cases[i], strlen(cases[i]), out)) fail_msg("%s was read", cases[i]);
  assert_int_equal(st_vector_parse("[1\0]", 4, out), 0);
  st_free(out);
}

/* A text of so many zeros. */
static void add_zeros(st_str *text, int count) {
  for (int i = 0; i < count; i++) st_str_addz(text, i ? ",0" : "[0");
  st_str_addc(text, ']');
}

static void there_is_a_most(void **state) {
  (void)state;
  float *out = st_alloc(ST_VECTOR_MAX * sizeof *out);
  st_str text;
  assert_non_null(out);
  st_str_init(&text, MAX);
  add_zeros(&text, ST_VECTOR_MAX);
  assert_int_equal(st_vector_parse(text.text, text.length, out), ST_VECTOR_MAX);
  st_str_clear(&text);
  add_zeros(&text, ST_VECTOR_MAX + 1);
  assert_int_equal(st_vector_parse(text.text, text.length, out), 0);
  st_str_free(&text);
  st_free(out);
}

static void numbers_are_written_short(void **state) {
  (void)state;
  static const float numbers[] = {1, -0.0f, 0.1f, 16777216, 1e-10f, FLT_MAX, FLT_TRUE_MIN, 1.0f / 3};
  char bytes[sizeof numbers / sizeof *numbers * ST_VECTOR_BYTES];
  size_t count = sizeof numbers / sizeof *numbers;
  st_str text;
  for (size_t i = 0; i < count; i++) st_vector_put(bytes + i * ST_VECTOR_BYTES, numbers[i]);
  st_str_init(&text, MAX);
  st_vector_add(&text, bytes, count);
  assert_string_equal(text.text, "[1,-0,0.1,16777216,1e-10,3.4028235e+38,1e-45,0.33333334]");
  st_str_free(&text);
}

static void numbers_come_back_the_same(void **state) {
  (void)state;
  uint32_t seed = 1;
  for (int i = 0; i < 200000; i++) {
    char digits[ST_REAL_MAX], bytes[ST_VECTOR_BYTES];
    double back;
    seed = seed * 1664525 + 1013904223;
    for (int k = 0; k < ST_VECTOR_BYTES; k++) bytes[k] = (char)(unsigned char)(seed >> (8 * k));
    float number = st_vector_get(bytes);
    if (!isfinite(number)) continue;
    assert_true(st_parse_real(digits, st_format_single(number, digits), &back));
    if ((float)back != number) fail_msg("%s is not %.9g", digits, (double)number);
  }
}

static void cosines_are_exact(void **state) {
  (void)state;
  enum { COUNT = 1003 };
  static float a[COUNT], b[COUNT];
  double dot = 0, aa = 0, bb = 0;
  for (int i = 0; i < COUNT; i++) {
    a[i] = (float)sin(i);
    b[i] = (float)cos(i * 0.7) * 1e-3f;
    dot += (double)a[i] * b[i];
    aa += (double)a[i] * a[i];
    bb += (double)b[i] * b[i];
  }
  assert_true(fabs(st_cosine(a, b, COUNT) - dot / sqrt(aa * bb)) < 1e-12);
  assert_true(st_cosine(a, a, COUNT) == 1);
  assert_true(st_cosine((float[]){1, 0, 1}, (float[]){1, 0, 1}, 3) == 1);
  assert_true(st_cosine((float[]){2}, (float[]){-3}, 1) == -1);
  assert_true(st_cosine((float[]){0, 0}, (float[]){1, 1}, 2) == 0);
  assert_true(st_cosine((float[]){FLT_MAX, FLT_MAX}, (float[]){FLT_MAX, 0}, 2) > 0.7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_are_little_endian),  cmocka_unit_test(arrays_of_numbers_are_read),
      cmocka_unit_test(other_texts_are_no_vectors), cmocka_unit_test(there_is_a_most),
      cmocka_unit_test(numbers_are_written_short), cmocka_unit_test(numbers_come_back_the_same),
      cmocka_unit_test(cosines_are_exact),
  };
  return cmocka_run_group_tests_name("vector", tests, NULL, NULL);
}
