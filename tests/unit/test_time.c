/* test_time.c - times and durations from and to text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"

#define SECOND ((st_micros)1000000)
#define DAY (86400 * SECOND)

/* From a copy that ends where the text ends, so that a sanitizer sees any step beyond. */
static bool parse(const char *text, st_micros *out) {
  size_t length = strlen(text);
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  bool ok = st_time_parse(exact, length, out);
  free(exact);
  return ok;
}

static const struct {
  const char *text;
  st_micros time;
} times[] = {
    {"1970-01-01T00:00:00Z", 0},
    {"1970-01-01", 0},
    {"1970-01-02", DAY},
    {"1969-12-31", -DAY},
    {"1969-12-31T23:59:59.5Z", -500000},
    {"1969-12-31T23:59:59.9999999Z", -1}, /* dropped, not rounded */
    {"2025-11-15T09:46:40Z", 1763200000 * SECOND},
    {"2025-11-15t09:46:40z", 1763200000 * SECOND},
    {"2025-11-15 09:46:40", 1763200000 * SECOND},
    {"2025-11-15T09:46:40", 1763200000 * SECOND},
    {"2025-11-15T09:46:40.250000+00:00", 1763200000 * SECOND + 250000},
    {"2025-11-15 09:46:40,25", 1763200000 * SECOND + 250000},
    {"2025-11-15T09:46:40.1Z", 1763200000 * SECOND + 100000},
    {"2025-11-15T09:46:40.12Z", 1763200000 * SECOND + 120000},
    {"2025-11-15T09:46:40.123Z", 1763200000 * SECOND + 123000},
    {"2025-11-15T09:46:40.1234Z", 1763200000 * SECOND + 123400},
    {"2025-11-15T09:46:40.12345Z", 1763200000 * SECOND + 123450},
    {"2025-11-15T09:46:40.123456Z", 1763200000 * SECOND + 123456},
    {"2025-11-15T09:46:40.1234567Z", 1763200000 * SECOND + 123456},
    {"2025-11-15T09:46:40.12345678Z", 1763200000 * SECOND + 123456},
    {"2025-11-15T09:46:40.123456789Z", 1763200000 * SECOND + 123456},
    {"2025-11-15T09:46:40.999999999999999999999Z", 1763200000 * SECOND + 999999},
    {"2025-11-15T09:46:40.000001Z", 1763200000 * SECOND + 1},
    {"2025-11-15T15:16:40+05:30", 1763200000 * SECOND},
    {"2025-11-15T15:16:40+0530", 1763200000 * SECOND},
    {"2025-11-15 09:46:40+00", 1763200000 * SECOND},
    {"2025-11-15T01:46:40.5-08", 1763200000 * SECOND + 500000},
    {"2025-11-15T06:16:40-03:30", 1763200000 * SECOND},
    {"2025-11-14T22:46:40-11:00", 1763200000 * SECOND},
    {"2025-11-15T09:46:40-00:00", 1763200000 * SECOND},
    {"2025-11-16T09:45:40+23:59", 1763200000 * SECOND},
    {"2000-02-29T00:00:00Z", 951782400 * SECOND},
    {"2000-03-01T00:00:00Z", 951868800 * SECOND},
    {"2024-02-29T12:00:00Z", 1709208000 * SECOND},
    {"1900-03-01T00:00:00Z", -2203891200 * SECOND},
    {"1900-02-28T00:00:00Z", -2203977600 * SECOND},
    {"2016-12-31T23:59:60Z", 1483228799 * SECOND},
    {"2016-12-31T23:59:60.5Z", 1483228799 * SECOND + 500000},
    {"2038-01-19T03:14:08Z", 2147483648 * SECOND},
    {"0000-01-01T00:00:00Z", -62167219200 * SECOND},
    {"0000-02-29T00:00:00Z", -62162121600 * SECOND},
    {"0001-01-01T00:00:00Z", -62135596800 * SECOND},
    {"9999-12-31T23:59:59.999999Z", 253402300799 * SECOND + 999999},
    {"1582-10-10", -12219724800 * SECOND},
};

static void times_are_read(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    st_micros time = 99;
    if (!parse(times[i].text, &time)) fail_msg("%s was refused", times[i].text);
    if (time != times[i].time) fail_msg("%s became %lld", times[i].text, (long long)time);
  }
}

static const char *const no_times[] = {
    "",
    "2025",
    "2025-11",
    "2025-11-",
    "2025-11-1",
    "2025-1-15",
    "25-11-15",
    "02025-11-15",
    "-2025-11-15",
    "+2025-11-15",
    "2025/11/15",
    "20251115",
    "2025-00-15",
    "2025-13-15",
    "2025-11-00",
    "2025-11-31",
    "2025-01-32",
    "2025-02-29",
    "1900-02-29",
    "2100-02-29",
    "2024-02-30",
    "2025-04-31",
    "2025-11-15Z",
    "2025-11-15T",
    "2025-11-15 ",
    " 2025-11-15",
    "2025-11-15  09:46:40",
    "2025-11-15x09:46:40",
    "2025-11-15T09",
    "2025-11-15T09:46",
    "2025-11-15T09:46Z",
    "2025-11-15T9:46:40Z",
    "2025-11-15T24:00:00Z",
    "2025-11-15T09:60:00Z",
    "2025-11-15T09:46:61Z",
    "2025-11-15T09:46:40.",
    "2025-11-15T09:46:40.Z",
    "2025-11-15T09:46:40,Z",
    "2025-11-15T09:46:40;5Z",
    "2025-11-15T09:46:40.5.5Z",
    "2025-11-15T09:46:40ZZ",
    "2025-11-15T09:46:40Z ",
    "2025-11-15T09:46:40 Z",
    "2025-11-15T09:46:40UTC",
    "2025-11-15T09:46:40+",
    "2025-11-15T09:46:40+5",
    "2025-11-15T09:46:40+05:",
    "2025-11-15T09:46:40+05:3",
    "2025-11-15T09:46:40+053",
    "2025-11-15T09:46:40+05:300",
    "2025-11-15T09:46:40+24:00",
    "2025-11-15T09:46:40+05:60",
    "2025-11-15T09:46:40 +05:30",
    "2025-11-15T-9:46:40Z",
    "now",
    "1763200000",
};

static void other_texts_are_no_times(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof no_times / sizeof *no_times; i++) {
    st_micros time = 99;
    if (parse(no_times[i], &time)) fail_msg("\"%s\" was read", no_times[i]);
    assert_true(time == 99);
  }
  st_micros time;
  assert_false(st_time_parse("2025-11-15\0", 11, &time));
  assert_false(st_time_parse("2025-11-15T09:46:40\0", 20, &time));
  assert_false(st_time_parse(NULL, 0, &time));
}

static void times_are_written(void **state) {
  (void)state;
  static const struct {
    st_micros time;
    const char *iso;
    const char *sql;
    const char *rfc3339;
  } cases[] = {
      {0, "1970-01-01T00:00:00.000000+00:00", "1970-01-01 00:00:00", "1970-01-01T00:00:00Z"},
      {1763200000 * SECOND + 250000, "2025-11-15T09:46:40.250000+00:00", "2025-11-15 09:46:40", "2025-11-15T09:46:40Z"},
      {-1, "1969-12-31T23:59:59.999999+00:00", "1969-12-31 23:59:59", "1969-12-31T23:59:59Z"},
      {951782400 * SECOND, "2000-02-29T00:00:00.000000+00:00", "2000-02-29 00:00:00", "2000-02-29T00:00:00Z"},
      {-62167219200 * SECOND, "0000-01-01T00:00:00.000000+00:00", "0000-01-01 00:00:00", "0000-01-01T00:00:00Z"},
      {253402300800 * SECOND - 1, "9999-12-31T23:59:59.999999+00:00", "9999-12-31 23:59:59", "9999-12-31T23:59:59Z"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[ST_TIME_MAX];
    assert_true(st_time_iso(cases[i].time, out));
    assert_string_equal(out, cases[i].iso);
    assert_true(st_time_sql(cases[i].time, out));
    assert_string_equal(out, cases[i].sql);
    assert_true(st_time_rfc3339(cases[i].time, out));
    assert_string_equal(out, cases[i].rfc3339);
  }
}

static void years_beyond_four_digits_are_not_written(void **state) {
  (void)state;
  static const st_micros cases[] = {-62167219200 * SECOND - 1, 253402300800 * SECOND, INT64_MIN, INT64_MAX};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[ST_TIME_MAX] = "before";
    assert_false(st_time_iso(cases[i], out));
    assert_string_equal(out, "");
    assert_false(st_time_sql(cases[i], out));
    assert_false(st_time_rfc3339(cases[i], out));
  }
}

/* Each day of ten thousand years: a calendar kept by hand against the arithmetic. */
static void every_day_is_right(void **state) {
  (void)state;
  static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year = 0;
  int month = 1;
  int day = 1;
  st_micros time = -62167219200 * SECOND;
  while (year <= 9999) {
    char out[ST_TIME_MAX];
    st_micros back = 0;
    assert_true(st_time_sql(time, out));
    bool right = atoi(out) == year && atoi(out + 5) == month && atoi(out + 8) == day;
    if (!right) fail_msg("%s is not %d-%d-%d", out, year, month, day);
    assert_true(st_time_parse(out, 10, &back));
    assert_true(back == time);
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (++day > lengths[month - 1] + (month == 2 && leap)) {
      day = 1;
      if (++month > 12) {
        month = 1;
        year++;
      }
    }
    time += DAY;
  }
  assert_true(time == 253402300800 * SECOND);
}

static void written_times_are_read_back(void **state) {
  (void)state;
  uint64_t seed = 987654321;
  for (int i = 0; i < 20000; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    st_micros time = (st_micros)(seed % (uint64_t)(315569520000 * SECOND)) - 62167219200 * SECOND;
    char out[ST_TIME_MAX];
    st_micros back = 0;
    assert_true(st_time_iso(time, out));
    assert_int_equal(strlen(out), 32);
    assert_true(parse(out, &back));
    assert_true(back == time);
  }
}

static void clocks_run(void **state) {
  (void)state;
  assert_true(st_time_now() > 1700000000 * SECOND);
  int64_t before = st_monotonic_ms();
  assert_true(st_monotonic_ms() >= before);
}

static void durations_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double seconds;
  } cases[] = {{"90", 90},       {"0", 0},        {"1.5h", 5400},  {"90s", 90},     {"15m", 900},    {"36h", 129600},
               {"7d", 604800},   {"2w", 1209600}, {"250ms", 0.25}, {"9ms", 0.009},  {"0.5", 0.5},    {"1.25ms", 0.00125}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double seconds = -1;
    if (!st_duration_parse(cases[i].text, strlen(cases[i].text), &seconds)) fail_msg("%s was refused", cases[i].text);
    assert_true(seconds == cases[i].seconds);
  }
}

static void other_texts_are_no_durations(void **state) {
  (void)state;
  static const char *const cases[] = {"",   "s",   "h1",  "-1",  "-5s", "+5s", " 5s",  "5 s", "5s ",  "5S",  "5M",
                                      "5y", "5mss", "5hs", "1h30m", ".5h", "5.", "5.s", "1e3s", "1..5h", "inf", "nan", "0x10"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double seconds = -1;
    if (st_duration_parse(cases[i], strlen(cases[i]), &seconds)) fail_msg("\"%s\" was read", cases[i]);
    assert_true(seconds == -1);
  }
  double seconds;
  assert_false(st_duration_parse("5\0", 2, &seconds));
  assert_false(st_duration_parse(NULL, 0, &seconds));
  char huge[400];
  memset(huge, '9', sizeof huge);
  assert_false(st_duration_parse(huge, 400, &seconds)); /* no double is so large */
  huge[305] = 'w';
  assert_false(st_duration_parse(huge, 306, &seconds)); /* nor so many weeks */
  assert_true(st_duration_parse(huge, 305, &seconds));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_are_read),
      cmocka_unit_test(other_texts_are_no_times),
      cmocka_unit_test(times_are_written),
      cmocka_unit_test(years_beyond_four_digits_are_not_written),
      cmocka_unit_test(every_day_is_right),
      cmocka_unit_test(written_times_are_read_back),
      cmocka_unit_test(clocks_run),
      cmocka_unit_test(durations_are_read),
      cmocka_unit_test(other_texts_are_no_durations),
  };
  return cmocka_run_group_tests_name("time", tests, NULL, NULL);
}
