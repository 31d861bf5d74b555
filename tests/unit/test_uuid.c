/* test_uuid.c - identifiers: their form, that they differ, the order of version 7, and the names of version 5. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "base/uuid.h"

#define THREADS 4
#define EACH 5000

typedef char uuid[ST_UUID_SIZE];

static uuid made[THREADS][EACH];

static int compare(const void *a, const void *b) {
  return strcmp(a, b);
}

static void check_form(const char *text, char version) {
  assert_int_equal(strlen(text), ST_UUID_SIZE - 1);
  assert_true(st_uuid_valid(text, strlen(text)));
  assert_int_equal(text[14], version);
  assert_non_null(strchr("89ab", text[19]));
  assert_int_equal(strcspn(text, "ABCDEF"), ST_UUID_SIZE - 1); /* small letters */
}

static void v4_has_its_form_and_differs(void **state) {
  (void)state;
  for (int i = 0; i < EACH; i++) {
    assert_true(st_uuid_v4(made[0][i]));
    check_form(made[0][i], '4');
  }
  qsort(made[0], EACH, sizeof(uuid), compare);
  for (int i = 1; i < EACH; i++) assert_true(strcmp(made[0][i - 1], made[0][i]) < 0);
}

/* Every bit but the fixed ones is 0 in one and 1 in another. */
static void v4_is_random_everywhere(void **state) {
  (void)state;
  for (size_t place = 0; place < ST_UUID_SIZE - 1; place++) {
    int ones = 0;
    int zeros = 0;
    for (int i = 0; i < 200; i++) {
      char digit[2] = {0};
      if (place == 0) assert_true(st_uuid_v4(made[0][i]));
      digit[0] = made[0][i][place];
      int value = (int)strtol(digit, NULL, 16);
      ones |= value;
      zeros |= ~value & 15;
    }
    bool fixed = made[0][0][place] == '-' || place == 14;
    if (fixed) continue;
    assert_int_equal(ones, place == 19 ? 11 : 15);
    assert_int_equal(zeros, place == 19 ? 7 : 15);
  }
}

static int64_t millis_of(const char *text) {
  char digits[13];
  memcpy(digits, text, 8);
  memcpy(digits + 8, text + 9, 5);
  digits[12] = '\0';
  return strtoll(digits, NULL, 16);
}

static void v7_begins_with_the_time(void **state) {
  (void)state;
  uuid text;
  int64_t before = st_time_now() / 1000;
  assert_true(st_uuid_v7(text));
  check_form(text, '7');
  /* Never before the clock; a little after it only if many were made in one millisecond. */
  assert_true(millis_of(text) >= before);
  assert_true(millis_of(text) <= st_time_now() / 1000 + 1000);
}

static void *make_many(void *argument) {
  uuid *out = argument;
  for (int i = 0; i < EACH; i++) {
    if (!st_uuid_v7(out[i])) return NULL;
  }
  return argument;
}

static void v7_increases_in_every_thread(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&threads[t], NULL, make_many, made[t]), 0);
  for (int t = 0; t < THREADS; t++) {
    void *result = NULL;
    pthread_join(threads[t], &result);
    assert_non_null(result);
  }
  for (int t = 0; t < THREADS; t++) {
    for (int i = 0; i < EACH; i++) {
      check_form(made[t][i], '7');
      if (i > 0) assert_true(strcmp(made[t][i - 1], made[t][i]) < 0);
    }
  }
  uuid *all = made[0];
  qsort(all, (size_t)THREADS * EACH, sizeof(uuid), compare);
  for (int i = 1; i < THREADS * EACH; i++) assert_true(strcmp(all[i - 1], all[i]) < 0);
}

/* The example of RFC 9562, and the names of pages. */
static void v5_is_of_a_name(void **state) {
  char out[ST_UUID_SIZE];
  (void)state;
  assert_true(st_uuid_v5("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com", 15, out));
  assert_string_equal(out, "2ed6657d-e927-568b-95e1-2665a8aea6a2");
  assert_true(st_uuid_v5("8A3B7C01-D4E5-4F6A-9B2C-1E0FA85D3C7E", "", 0, out));
  assert_string_equal(out, "6bee4804-7b7a-5b7a-a9c3-57c096cae5dd");
}

static void valid_is_the_form_alone(void **state) {
  (void)state;
  static const char good[] = "0189f7ea-AE2C-7809-8aeb-b819cf5e9e7F";
  assert_true(st_uuid_valid(good, 36));
  assert_true(st_uuid_valid("00000000-0000-0000-0000-000000000000", 36));
  assert_false(st_uuid_valid(good, 35));
  assert_false(st_uuid_valid(good, 37));
  assert_false(st_uuid_valid("", 0));
  assert_false(st_uuid_valid("0189f7eaae2c78098aebb819cf5e9e7f", 32));
  for (size_t i = 0; i < 36; i++) {
    char text[sizeof good];
    memcpy(text, good, sizeof good);
    text[i] = good[i] == '-' ? '0' : '-';
    assert_false(st_uuid_valid(text, 36));
    text[i] = 'g';
    assert_false(st_uuid_valid(text, 36));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(v4_has_its_form_and_differs),
      cmocka_unit_test(v4_is_random_everywhere),
      cmocka_unit_test(v7_begins_with_the_time),
      cmocka_unit_test(v7_increases_in_every_thread),
      cmocka_unit_test(v5_is_of_a_name),
      cmocka_unit_test(valid_is_the_form_alone),
  };
  return cmocka_run_group_tests_name("uuid", tests, NULL, NULL);
}
