/* test_arena_str.c - allocations, arenas and growing texts: limits, and running out of memory. */
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/str.h"
#include "fail_alloc.h"

static void alloc_of_nothing_is_something(void **state) {
  (void)state;
  void *a = st_alloc(0);
  void *b = st_alloc_zero(0);
  assert_non_null(a);
  assert_non_null(b);
  a = st_realloc(a, 0);
  assert_non_null(a);
  st_free(a);
  st_free(b);
  st_free(NULL);
}

static void alloc_zero_is_zero(void **state) {
  (void)state;
  char *bytes = st_alloc_zero(100);
  for (int i = 0; i < 100; i++) assert_int_equal(bytes[i], 0);
  st_free(bytes);
}

static void every_alloc_asks_the_hook(void **state) {
  (void)state;
  char *kept = st_strdup("kept");
  fail_alloc_nth(1);
  assert_null(st_alloc(1));
  fail_alloc_nth(1);
  assert_null(st_alloc_zero(1));
  fail_alloc_nth(1);
  assert_null(st_realloc(kept, 100));
  assert_string_equal(kept, "kept");
  fail_alloc_nth(1);
  assert_null(st_strdup("x"));
  fail_alloc_nth(1);
  assert_null(st_strndup("x", 1));
  assert_true(fail_alloc_end());
  st_free(kept);
}

static void strndup_stops_at_length_or_nul(void **state) {
  (void)state;
  char *cut = st_strndup("stele", 3);
  char *whole = st_strndup("ab\0cd", 5);
  assert_string_equal(cut, "ste");
  assert_string_equal(whole, "ab");
  st_free(cut);
  st_free(whole);
}

static void arena_pieces_are_aligned_and_apart(void **state) {
  (void)state;
  st_arena arena;
  unsigned char *pieces[300];
  st_arena_init(&arena, 10 * 1024 * 1024);
  for (size_t i = 0; i < 300; i++) {
    pieces[i] = st_arena_alloc(&arena, i * 7);
    assert_non_null(pieces[i]);
    assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
    memset(pieces[i], (int)(i % 251), i * 7);
  }
  for (size_t i = 0; i < 300; i++) {
    for (size_t j = 0; j < i * 7; j++) assert_int_equal(pieces[i][j], i % 251);
  }
  st_arena_free(&arena);
}

static void arena_piece_of_nothing_is_counted(void **state) {
  (void)state;
  st_arena arena;
  st_arena_init(&arena, 64);
  assert_non_null(st_arena_alloc(&arena, 0));
  assert_true(arena.used > 0);
  st_arena_free(&arena);
}

static void arena_keeps_to_its_maximum(void **state) {
  (void)state;
  st_arena arena;
  st_arena_init(&arena, 200000);
  assert_null(st_arena_alloc(&arena, 200001));
  assert_null(st_arena_alloc(&arena, SIZE_MAX));
  assert_null(st_arena_copy(&arena, "", SIZE_MAX));
  assert_int_equal(arena.used, 0);
  assert_non_null(st_arena_alloc(&arena, 100000));
  assert_non_null(st_arena_alloc(&arena, 100000));
  assert_null(st_arena_alloc(&arena, 1));
  st_arena_reset(&arena);
  assert_non_null(st_arena_alloc(&arena, 200000));
  st_arena_free(&arena);
}

static void arena_without_limit_does_not_overflow(void **state) {
  (void)state;
  st_arena arena;
  st_arena_init(&arena, SIZE_MAX);
  assert_non_null(st_arena_alloc(&arena, 1));
  for (size_t less = 0; less < 100; less++) {
    fail_alloc_nth(1); /* should it get as far as asking for so much */
    assert_null(st_arena_alloc(&arena, SIZE_MAX - less));
    fail_alloc_end();
  }
  st_arena_free(&arena);
}

static void arena_zero_and_copy(void **state) {
  (void)state;
  st_arena arena;
  st_arena_init(&arena, 1000);
  memset(st_arena_alloc(&arena, 500), 'x', 500);
  st_arena_reset(&arena);
  char *zero = st_arena_zero(&arena, 500);
  for (int i = 0; i < 500; i++) assert_int_equal(zero[i], 0);
  assert_memory_equal(st_arena_copy(&arena, "a\0b", 3), "a\0b", 4);
  assert_string_equal(st_arena_copy(&arena, NULL, 0), "");
  st_arena_free(&arena);
}

static void arena_reset_keeps_one_chunk(void **state) {
  (void)state;
  st_arena arena;
  st_arena_init(&arena, 10 * 1024 * 1024);
  st_arena_alloc(&arena, 1000000);
  void *first = st_arena_alloc(&arena, 10);
  st_arena_alloc(&arena, 1000000);
  st_arena_reset(&arena);
  assert_int_equal(arena.used, 0);
  fail_alloc_nth(1); /* no new chunk is needed */
  assert_ptr_equal(st_arena_alloc(&arena, 10), first);
  assert_false(fail_alloc_end());
  st_arena_free(&arena);
  assert_null(arena.chunks);
}

static void arena_large_piece_does_not_waste_the_chunk(void **state) {
  (void)state;
  st_arena arena;
  st_arena_init(&arena, 10 * 1024 * 1024);
  char *small = st_arena_alloc(&arena, 16);
  assert_non_null(st_arena_alloc(&arena, 1000000));
  assert_ptr_equal(st_arena_alloc(&arena, 16), small + 16);
  st_arena_free(&arena);
}

static void arena_uses_large_chunks_again(void **state) {
  (void)state;
  st_arena arena;
  st_arena_init(&arena, 10 * 1024 * 1024);
  char *first = memset(st_arena_alloc(&arena, 3000000), 'x', 3000000);
  st_arena_free(&arena);
  assert_ptr_equal(st_arena_zero(&arena, 2900000), first);
  assert_int_equal(first[2899999], 0);
  assert_ptr_not_equal(st_arena_alloc(&arena, 2900000), first); /* which is in use */
  st_arena_free(&arena);
}

static void arena_survives_no_memory(void **state) {
  (void)state;
  st_arena arena;
  st_arena_init(&arena, 10 * 1024 * 1024);
  fail_alloc_nth(1);
  assert_null(st_arena_alloc(&arena, 10));
  assert_int_equal(arena.used, 0);
  assert_non_null(st_arena_zero(&arena, 10));
  fail_alloc_nth(1);
  assert_null(st_arena_zero(&arena, 1000000));
  assert_non_null(st_arena_copy(&arena, "abc", 3));
  fail_alloc_end();
  st_arena_free(&arena);
}

static void str_builds_a_text(void **state) {
  (void)state;
  st_str str;
  st_str_init(&str, 1000);
  assert_null(str.text);
  st_str_add(&str, "abc", 2);
  st_str_addz(&str, "-z-");
  st_str_addc(&str, 'c');
  st_str_addf(&str, "[%d %s]", 42, "forty-two");
  assert_string_equal(str.text, "ab-z-c[42 forty-two]");
  assert_int_equal(str.length, strlen(str.text));
  st_str_cut(&str, 100);
  assert_string_equal(str.text, "ab-z-c[42 forty-two]");
  st_str_cut(&str, 5);
  assert_string_equal(str.text, "ab-z-");
  st_str_clear(&str);
  st_str_cut(&str, 0);
  assert_string_equal(str.text, "");
  st_str_add(&str, NULL, 0);
  st_str_add(&str, "a\0b", 3);
  assert_int_equal(str.length, 3);
  char *taken = st_str_take(&str);
  assert_memory_equal(taken, "a\0b", 4);
  assert_null(str.text);
  assert_int_equal(str.length, 0);
  st_free(taken);
}

static void str_taken_empty_is_an_empty_text(void **state) {
  (void)state;
  st_str str;
  st_str_init(&str, 10);
  char *taken = st_str_take(&str);
  assert_string_equal(taken, "");
  st_free(taken);
}

static void str_formats_at_every_length(void **state) {
  (void)state;
  for (int width = 0; width < 300; width++) {
    st_str str;
    st_str_init(&str, 1000);
    st_str_addz(&str, "before ");
    st_str_addf(&str, "%*d", width, 7);
    st_str_addz(&str, " after");
    assert_false(str.failed);
    assert_int_equal(str.length, 13 + (width ? width : 1));
    assert_int_equal(str.length, strlen(str.text));
    assert_string_equal(str.text + str.length - 7, "7 after");
    st_str_free(&str);
  }
}

static void str_stops_at_its_maximum(void **state) {
  (void)state;
  st_str str;
  st_str_init(&str, 100);
  for (int i = 0; i < 100; i++) st_str_addc(&str, 'x');
  assert_false(str.failed);
  assert_int_equal(str.length, 100);
  assert_true(str.room <= 101);
  st_str_add(&str, NULL, 0);
  assert_false(str.failed);
  st_str_addc(&str, 'y');
  assert_true(str.failed);
  assert_int_equal(strlen(str.text), 100);
  st_str_clear(&str);
  st_str_addf(&str, "%101d", 1);
  assert_true(str.failed);
  assert_string_equal(str.text, "");
  st_str_addz(&str, "more"); /* nothing is added after a failure */
  assert_int_equal(str.length, 0);
  assert_null(st_str_take(&str));
  assert_false(str.failed);
  st_str_addf(&str, "%100d", 1); /* the maximum outlives the failure */
  assert_false(str.failed);
  st_str_addc(&str, 'y');
  assert_true(str.failed);
  st_str_free(&str);
}

static void str_refuses_sizes_that_overflow(void **state) {
  (void)state;
  st_str str;
  st_str_init(&str, SIZE_MAX);
  st_str_addz(&str, "abc");
  st_str_add(&str, "x", SIZE_MAX);
  assert_true(str.failed);
  st_str_free(&str);
}

static char *build_much(void) {
  st_str str;
  st_str_init(&str, 100000);
  for (int i = 0; i < 500; i++) {
    st_str_addf(&str, "%d ", i);
    st_str_addz(&str, "text");
    st_str_addc(&str, '\n');
  }
  return st_str_take(&str);
}

static void str_survives_no_memory(void **state) {
  (void)state;
  int n = 1;
  for (;; n++) {
    fail_alloc_nth(n);
    char *text = build_much();
    bool reached = fail_alloc_end();
    assert_int_equal(text == NULL, reached);
    st_free(text);
    if (!reached) break;
  }
  assert_true(n > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alloc_of_nothing_is_something),
      cmocka_unit_test(alloc_zero_is_zero),
      cmocka_unit_test(every_alloc_asks_the_hook),
      cmocka_unit_test(strndup_stops_at_length_or_nul),
      cmocka_unit_test(arena_pieces_are_aligned_and_apart),
      cmocka_unit_test(arena_piece_of_nothing_is_counted),
      cmocka_unit_test(arena_keeps_to_its_maximum),
      cmocka_unit_test(arena_without_limit_does_not_overflow),
      cmocka_unit_test(arena_zero_and_copy),
      cmocka_unit_test(arena_reset_keeps_one_chunk),
      cmocka_unit_test(arena_large_piece_does_not_waste_the_chunk),
      cmocka_unit_test(arena_uses_large_chunks_again),
      cmocka_unit_test(arena_survives_no_memory),
      cmocka_unit_test(str_builds_a_text),
      cmocka_unit_test(str_taken_empty_is_an_empty_text),
      cmocka_unit_test(str_formats_at_every_length),
      cmocka_unit_test(str_stops_at_its_maximum),
      cmocka_unit_test(str_refuses_sizes_that_overflow),
      cmocka_unit_test(str_survives_no_memory),
  };
  return cmocka_run_group_tests_name("arena_str", tests, NULL, NULL);
}
