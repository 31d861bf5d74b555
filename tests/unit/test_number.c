/* test_number.c - numbers from and to text. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"

static bool parse_int(const char *text, int64_t *out) {
  return st_parse_int(text, strlen(text), out);
}

static bool parse_real(const char *text, double *out) {
  return st_parse_real(text, strlen(text), out);
}

static bool same_bits(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static void ints_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t value;
  } cases[] = {
      {"0", 0},
      {"-0", 0},
      {"+7", 7},
      {"007", 7},
      {"-42", -42},
      {"922337203685477580", 922337203685477580},
      {"9223372036854775807", INT64_MAX},
      {"-9223372036854775808", INT64_MIN},
      {"00000000000000000000000000000012", 12},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t value = 99;
    if (!parse_int(cases[i].text, &value)) fail_msg("%s was refused", cases[i].text);
    assert_true(value == cases[i].value);
  }
}

static void other_texts_are_no_ints(void **state) {
  (void)state;
  static const char *const cases[] = {"",    "-",    "+",    "--1", "1-",   " 1",  "1 ",
                                      "1.0", "1e3",  "0x10", "a",   "12a4", "+-1", "9223372036854775808",
                                      "-9223372036854775809",       "9223372036854775810",
                                      "10000000000000000000",       "99999999999999999999999"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t value = 99;
    if (parse_int(cases[i], &value)) fail_msg("\"%s\" was read", cases[i]);
    assert_true(value == 99);
  }
  int64_t value = 99;
  assert_false(st_parse_int("1\0", 2, &value));
  assert_true(st_parse_int("123", 2, &value)); /* only what the length covers */
  assert_true(value == 12);
}

static void reals_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } cases[] = {
      {"0", 0.0},
      {"-0", -0.0},
      {"0.0e9999999999999999999999", 0.0},
      {"1", 1.0},
      {"+1.5", 1.5},
      {"-2.25", -2.25},
      {"0.1", 0.1},
      {"1e22", 1e22},
      {"1e23", 1e23},
      {"1E-7", 1e-7},
      {"9007199254740993", 9007199254740992.0},
      {"9007199254740993.00000000000000000000000000000001", 9007199254740994.0},
      {"1.7976931348623157e308", DBL_MAX},
      {"2.2250738585072014e-308", DBL_MIN},
      {"4.9e-324", 4.9406564584124654e-324},
      {"1e-400", 0.0},
      {"-1e-400", -0.0},
      {"1e-99999999999999999999999", 0.0},
      {"123456789012345678901234567890", 123456789012345678901234567890.0},
      {"0.000000000000000000000000000001", 1e-30},
      {"1763200000.25", 1763200000.25},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double value = 99;
    if (!parse_real(cases[i].text, &value)) fail_msg("%s was refused", cases[i].text);
    if (!same_bits(value, cases[i].value)) fail_msg("%s became %.17g", cases[i].text, value);
  }
}

static void other_texts_are_no_reals(void **state) {
  (void)state;
  static const char *const cases[] = {"",   "-",    ".",    ".5",  "5.",    "1,5",  "e5",   "1e",        "1e+",  "1e5.0",
                                      " 1", "1 ",   "0x1p3", "inf", "nan",   "NAN",  "1..2", "1.2.3",     "1_0",  "--1",
                                      "1e400", "-1e400", "1.8e308", "1e999999999999999999999999999", "1f"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double value = 99;
    if (parse_real(cases[i], &value)) fail_msg("\"%s\" was read", cases[i]);
    assert_true(same_bits(value, 99));
  }
}

/* More digits than fit any buffer: a halfway case that only the very last digit decides. */
static void digits_without_end_are_read(void **state) {
  (void)state;
  enum { LENGTH = 5000 };
  static char text[LENGTH];
  double value;
  memset(text, '0', LENGTH);
  memcpy(text, "9007199254740993.", 17); /* halfway between ..992 and ..994, ties to ..992 */
  assert_true(st_parse_real(text, LENGTH, &value));
  assert_true(same_bits(value, 9007199254740992.0));
  text[LENGTH - 1] = '1';
  assert_true(st_parse_real(text, LENGTH, &value));
  assert_true(same_bits(value, 9007199254740994.0));

  memset(text, '0', LENGTH);
  text[1] = '.';
  memcpy(text + LENGTH - 8, "125e4990", 8); /* "0." and then zeros: 0.000...125 with its exponent */
  assert_true(st_parse_real(text, LENGTH, &value));
  assert_true(same_bits(value, 0.125));

  memset(text, '9', LENGTH);
  assert_false(st_parse_real(text, LENGTH, &value));
  memcpy(text + LENGTH - 6, "e-4994", 6);
  assert_true(st_parse_real(text, LENGTH, &value));
  assert_true(same_bits(value, 1.0));
}

static void reals_are_written_short(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {3.0, "3.0"},
      {-17.0, "-17.0"},
      {0.1, "0.1"},
      {0.1 + 0.2, "0.30000000000000004"},
      {1.0 / 3.0, "0.3333333333333333"},
      {1e300, "1e+300"},
      {1e-7, "1e-07"},
      {100000000000000.0, "100000000000000.0"},
      {1e15, "1e+15"},
      {1763200000.25, "1763200000.25"},
      {DBL_MAX, "1.7976931348623157e+308"},
      {DBL_MIN, "2.2250738585072014e-308"},
      {4.9406564584124654e-324, "5e-324"},
      {-1.2345678901234568e-300, "-1.2345678901234568e-300"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[ST_REAL_MAX];
    size_t length = st_format_real(cases[i].value, out);
    assert_string_equal(out, cases[i].text);
    assert_int_equal(length, strlen(out));
  }
}

/* The same numbers on every run: a failure can be repeated. */
static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static void reals_come_back_the_same(void **state) {
  (void)state;
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < 50000; i++) {
    uint64_t bits = next_random(&seed);
    double value, back = 0;
    char out[ST_REAL_MAX];
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    size_t length = st_format_real(value, out);
    assert_true(length < ST_REAL_MAX);
    assert_true(strpbrk(out, ".e") != NULL);
    assert_true(st_parse_real(out, length, &back));
    if (!same_bits(value, back)) fail_msg("%s came back as %.17g", out, back);
  }
}

static void reals_are_read_as_strtod_reads_them(void **state) {
  (void)state;
  uint64_t seed = 1234567;
  for (int i = 0; i < 50000; i++) {
    char text[64];
    double value = 0;
    uint64_t digits = next_random(&seed) >> (next_random(&seed) % 64);
    int exponent = (int)(next_random(&seed) % 60) - 30;
    snprintf(text, sizeof text, "%llu.%03de%d", (unsigned long long)digits, i % 1000, exponent);
    assert_true(parse_real(text, &value));
    if (!same_bits(value, strtod(text, NULL))) fail_msg("%s became %.17g", text, value);
  }
}

/* In a locale with another point, if the system has one: the text stays the same. */
static void locale_changes_nothing(void **state) {
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8", "ps_AF.UTF-8", "de_DE"};
  const char *found = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) found = setlocale(LC_NUMERIC, names[i]);
  if (!found) skip();
  char shown[ST_REAL_MAX];
  snprintf(shown, sizeof shown, "%.1f", 0.5);
  char out[ST_REAL_MAX];
  double value = 0;
  st_format_real(1.0 / 3.0, out);
  bool read = parse_real("123456789.123456789123456789", &value);
  bool comma = parse_real("1,5", &value);
  setlocale(LC_NUMERIC, "C");
  assert_string_not_equal(shown, "0.5");
  assert_string_equal(out, "0.3333333333333333");
  assert_true(read);
  assert_true(same_bits(value, 123456789.123456789123456789));
  assert_false(comma);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ints_are_read),
      cmocka_unit_test(other_texts_are_no_ints),
      cmocka_unit_test(reals_are_read),
      cmocka_unit_test(other_texts_are_no_reals),
      cmocka_unit_test(digits_without_end_are_read),
      cmocka_unit_test(reals_are_written_short),
      cmocka_unit_test(reals_come_back_the_same),
      cmocka_unit_test(reals_are_read_as_strtod_reads_them),
      cmocka_unit_test(locale_changes_nothing),
  };
  return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
