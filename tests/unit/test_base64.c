/* test_base64.c - bytes to base64 and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"
#include "fail_alloc.h"

/* The vectors of RFC 4648, and the two last characters of the alphabet. */
static const struct {
  const char *bytes;
  const char *text;
} pairs[] = {
    {"", ""},         {"f", "Zg=="},         {"fo", "Zm8="},         {"foo", "Zm9v"}, {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}, {"\xFB\xFF\xBF", "+/+/"},
};

static void vectors_go_both_ways(void **state) {
  (void)state;
  st_arena arena;
  st_arena_init(&arena, 10000);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    st_str out;
    st_str_init(&out, 100);
    st_base64_add(&out, pairs[i].bytes, strlen(pairs[i].bytes));
    assert_false(out.failed);
    char *text = st_str_take(&out);
    assert_string_equal(text, pairs[i].text);
    st_free(text);
    size_t length = 99;
    bool bad = true;
    void *bytes = st_base64_decode(&arena, pairs[i].text, strlen(pairs[i].text), &length, &bad);
    assert_non_null(bytes);
    assert_false(bad);
    assert_int_equal(length, strlen(pairs[i].bytes));
    assert_memory_equal(bytes, pairs[i].bytes, length);
  }
  st_arena_free(&arena);
}

static void every_length_comes_back(void **state) {
  (void)state;
  unsigned char bytes[256];
  st_arena arena;
  st_str out;
  st_arena_init(&arena, 100000);
  st_str_init(&out, 1000);
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 167 + 13);
  for (size_t size = 0; size <= sizeof bytes; size++) {
    size_t length = 0;
    bool bad = false;
    st_str_clear(&out);
    st_base64_add(&out, bytes, size);
    assert_int_equal(out.length, (size + 2) / 3 * 4);
    void *back = st_base64_decode(&arena, out.text, out.length, &length, &bad);
    assert_non_null(back);
    assert_int_equal(length, size);
    assert_memory_equal(back, bytes, size);
  }
  st_str_free(&out);
  st_arena_free(&arena);
}

static void other_texts_are_refused(void **state) {
  (void)state;
  static const char *const cases[] = {
      "Z",        "Zg",       "Zg=",      "Zg===",    "====",     "Z===",   "=Zg=",     "Zg=a",     "Z=g=",
      "Zg==Zg==", "Zm9v\n",   "Zm9 ",     "Zm9-",     "Zm9_",     "Zm9*",   "Zh==" /* bits left over */,
      "Zm9=" /* the same */,  " Zm9v",    "Zm9vZg=A", "Zm9v====",
  };
  st_arena arena;
  st_arena_init(&arena, 10000);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t length = 99;
    bool bad = false;
    if (st_base64_decode(&arena, cases[i], strlen(cases[i]), &length, &bad)) fail_msg("%s was read", cases[i]);
    assert_true(bad);
    assert_int_equal(length, 99);
  }
  size_t length;
  bool bad = false;
  assert_null(st_base64_decode(&arena, "Zm\0v", 4, &length, &bad));
  assert_true(bad);
  st_arena_free(&arena);
}

static void addresses_have_an_alphabet_of_their_own(void **state) {
  (void)state;
  char text[9];
  unsigned char bytes[6];
  size_t length = 99;
  st_base64url_write(text, "\xFB\xFF\xBF\xFF", 4);
  assert_string_equal(text, "-_-__w==");
  assert_true(st_base64url_read(bytes, text, 8, &length));
  assert_int_equal(length, 4);
  assert_memory_equal(bytes, "\xFB\xFF\xBF\xFF", 4);
  assert_false(st_base64url_read(bytes, "+/+/", 4, &length));
  assert_false(st_base64url_read(bytes, "-_-__w=", 7, &length));
  assert_false(st_base64url_read(bytes, "-_-__x==", 8, &length));
}

static void no_memory_is_not_bad(void **state) {
  (void)state;
  st_arena arena;
  size_t length = 0;
  bool bad = true;
  st_arena_init(&arena, 10000);
  fail_alloc_nth(1);
  assert_null(st_base64_decode(&arena, "Zm9v", 4, &length, &bad));
  assert_true(fail_alloc_end());
  assert_false(bad);
  st_str out;
  st_str_init(&out, 1000);
  fail_alloc_nth(1);
  st_base64_add(&out, "foo", 3);
  assert_true(fail_alloc_end());
  assert_true(out.failed);
  st_str_free(&out);
  st_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_go_both_ways),
      cmocka_unit_test(every_length_comes_back),
      cmocka_unit_test(other_texts_are_refused),
      cmocka_unit_test(addresses_have_an_alphabet_of_their_own),
      cmocka_unit_test(no_memory_is_not_bad),
  };
  return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
