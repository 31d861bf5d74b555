/* test_copy_value.c - values of two engines beside each other: which are the same, and which comes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/copy_value.h"
#include "unit/in_arena.h"

#define NOTHING {.type = ST_NULL}
#define INT(n) {.type = ST_INT, .integer = (n)}
#define REAL(n) {.type = ST_REAL, .real = (n)}
#define TEXT(t) {.type = ST_TEXT, .bytes = (t), .length = sizeof(t) - 1}
#define BYTES(t) {.type = ST_BLOB, .bytes = (t), .length = sizeof(t) - 1}

static void what_means_the_same_is_the_same(void **state) {
  static const struct {
    st_value a, b;
    st_copy_form form;
    bool same;
  } cases[] = {
      {NOTHING, NOTHING, ST_COPY_PLAIN, true},
      {NOTHING, INT(0), ST_COPY_PLAIN, false},
      {NOTHING, TEXT(""), ST_COPY_PLAIN, false},
      {INT(1), INT(1), ST_COPY_PLAIN, true},
      {INT(INT64_MAX), INT(INT64_MAX - 1), ST_COPY_PLAIN, false},
      {INT(2), REAL(2.0), ST_COPY_PLAIN, true},
      {REAL(2.5), INT(2), ST_COPY_PLAIN, false},
      {REAL(0.1), REAL(0.1), ST_COPY_PLAIN, true},
      {INT(42), TEXT("42"), ST_COPY_PLAIN, true},
      {TEXT("43"), INT(42), ST_COPY_PLAIN, false},
      {TEXT("042"), INT(42), ST_COPY_PLAIN, false},
      {REAL(0.5), TEXT("0.5"), ST_COPY_PLAIN, true},
      {INT(42), BYTES("42"), ST_COPY_PLAIN, false},
      {BYTES("42"), INT(42), ST_COPY_PLAIN, false},
      {TEXT("a"), TEXT("a"), ST_COPY_PLAIN, true},
      {TEXT("a"), TEXT("b"), ST_COPY_PLAIN, false},
      {TEXT("a"), TEXT("ab"), ST_COPY_PLAIN, false},
      {TEXT(""), TEXT(""), ST_COPY_PLAIN, true},
      {TEXT("a"), BYTES("a"), ST_COPY_PLAIN, false},
      {BYTES("a\0b"), BYTES("a\0b"), ST_COPY_PLAIN, true},
      {BYTES("a\0b"), BYTES("a\0c"), ST_COPY_JSON, false},
      {TEXT("2026-01-01T10:00:00Z"), TEXT("2026-01-01T11:00:00+01:00"), ST_COPY_TIME, true},
      {TEXT("2026-01-01T10:00:00Z"), TEXT("2026-01-01T10:00:01Z"), ST_COPY_TIME, false},
      {TEXT("never"), TEXT("2026-01-01T10:00:00Z"), ST_COPY_TIME, false},
      {TEXT("2026-01-01T10:00:00Z"), TEXT("never"), ST_COPY_TIME, false},
      {TEXT("2026-01-01T10:00:00Z"), TEXT("2026-01-01T11:00:00+01:00"), ST_COPY_PLAIN, false},
      {TEXT("{\"a\":1,\"b\":[true,null]}"), TEXT("{ \"b\": [true, null], \"a\": 1.0 }"), ST_COPY_JSON, true},
      {TEXT("{\"a\":1,\"a\":2}"), TEXT("{\"a\":2}"), ST_COPY_JSON, true},
      {TEXT("{\"a\":1}"), TEXT("{\"a\":2}"), ST_COPY_JSON, false},
      {TEXT("{\"a\":1}"), TEXT("{\"b\":1}"), ST_COPY_JSON, false},
      {TEXT("{\"a\":1}"), TEXT("{\"a\":1,\"b\":1}"), ST_COPY_JSON, false},
      {TEXT("{\"a\":1,\"b\":1}"), TEXT("{\"a\":1}"), ST_COPY_JSON, false},
      {TEXT("[1,2]"), TEXT("[1, 2]"), ST_COPY_JSON, true},
      {TEXT("[1,2]"), TEXT("[1, 3]"), ST_COPY_JSON, false},
      {TEXT("[1,2]"), TEXT("[1]"), ST_COPY_JSON, false},
      {TEXT("[1]"), TEXT("[1, 2]"), ST_COPY_JSON, false},
      {TEXT("[1.5]"), TEXT("[ 1.5]"), ST_COPY_JSON, true},
      {TEXT("[1]"), TEXT("[\"1\"]"), ST_COPY_JSON, false},
      {TEXT("[true]"), TEXT("[ false]"), ST_COPY_JSON, false},
      {TEXT("[\"\\u0061\"]"), TEXT("[\"a\"]"), ST_COPY_JSON, true},
      {TEXT("[\"ab\"]"), TEXT("[\"ac\"]"), ST_COPY_JSON, false},
      {TEXT("[\"ab\"]"), TEXT("[\"abc\"]"), ST_COPY_JSON, false},
      {TEXT("[1]"), TEXT("[1"), ST_COPY_JSON, false},
      {TEXT("no JSON"), TEXT("[1]"), ST_COPY_JSON, false},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool same = st_copy_same(&cases[i].a, &cases[i].b, cases[i].form, &arena);
    if (same != cases[i].same) fail_msg("case %zu: %s the same", i, same ? "said to be" : "not said to be");
  }
}

/* Each is below the next, as in an index of SQLite. */
static void keys_have_one_order(void **state) {
  static const st_value ordered[] = {
      NOTHING,          REAL(-1.5),  INT(-1),    INT(0),     REAL(0.5),   INT(7),     REAL(1e300),
      TEXT(""),         TEXT("B"),   TEXT("Ba"), TEXT("a"),  TEXT("\xc3\xa9"), BYTES(""),  BYTES("a"), BYTES("a\xff")};
  const size_t count = sizeof ordered / sizeof *ordered;
  (void)state;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      int order = st_copy_order(&ordered[i], &ordered[j]), wanted = (i > j) - (i < j);
      if ((order > 0) - (order < 0) != wanted) fail_msg("%zu and %zu: %d", i, j, order);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_means_the_same_is_the_same, set_up, tear_down),
      cmocka_unit_test(keys_have_one_order),
  };
  return cmocka_run_group_tests_name("copy_value", tests, NULL, NULL);
}
