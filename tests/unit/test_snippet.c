/* test_snippet.c - the piece of a text that shows why it was found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/utf8.h"
#include "fail_alloc.h"
#include "in_arena.h"
#include "search/snippet.h"

static st_matcher *matcher_of(const char *query) {
  const st_query *parsed = st_query_parse(&arena, query, strlen(query));
  assert_non_null(parsed);
  st_matcher *matcher = st_matcher_new(&arena, parsed);
  assert_non_null(matcher);
  return matcher;
}

/* The snippet of a copy that ends where the text ends. */
static const char *snippet_of(const char *query, const char *text, size_t length) {
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  size_t size = 0;
  const char *snippet = st_snippet(&arena, matcher_of(query), exact, length, &size);
  free(exact);
  assert_non_null(snippet);
  assert_int_equal(snippet[size], '\0');
  return snippet;
}

static void check(const char *query, const char *text, const char *expected) {
  assert_string_equal(snippet_of(query, text, strlen(text)), expected);
}

/* count times a word, w0 w1 w2 …, with other words put in at their places. */
static char *numbered(int count, const char *const *words, const int *places) {
  st_str text;
  st_str_init(&text, 64 << 20);
  for (int i = 0; i < count; i++) {
    if (i) st_str_addc(&text, ' ');
    int k = 0;
    while (words[k] && places[k] != i) k++;
    if (words[k]) st_str_addz(&text, words[k]);
    else st_str_addf(&text, "w%d", i);
  }
  char *taken = st_str_take(&text);
  assert_non_null(taken);
  return taken;
}

static void short_texts_are_shown_whole(void **state) {
  (void)state;
  check("docker", "(the Docker daemon!)\n", "(the >>>Docker<<< daemon!)\n");
  check("docker", "", "");
  check("docker", "nothing here", "nothing here");
  check("", "no query", "no query");
  size_t length;
  assert_string_equal(st_snippet(&arena, matcher_of("x"), NULL, 0, &length), "");
}

static void matches_are_wrapped(void **state) {
  (void)state;
  check("a b", "b, a a", ">>>b<<<, >>>a<<< >>>a<<<");
  check("\"the daemon\"", "the x The, daemon.", "the x >>>The, daemon<<<.");
  check("dae*", "the daemons", "the >>>daemons<<<");
  check("it's", "now it's on", "now >>>it's<<< on");
  check("École", "une ÉCOLE.", "une >>>ÉCOLE<<<.");
  check("部署", "修改部署，计划部", "修改>>>部署<<<，计划部");
  check("a NOT z OR b", "z a b", "z >>>a<<< >>>b<<<");
  check("🎉", "done🎉!", "done>>>🎉<<<!");
}

static void overlapping_matches_become_one(void **state) {
  (void)state;
  check("b \"a b c\"", "a b c d", ">>>a b c<<< d");
  check("\"a b\" \"b c\"", "a b c d", ">>>a b c<<< d");
  check("\"a a\"", "a a a b", ">>>a a a<<< b");
  check("b c \"a b c d\" d", "x a b c d", "x >>>a b c d<<<");
}

static void the_window_is_in_the_middle(void **state) {
  (void)state;
  static const char *const words[] = {"match", NULL};
  static const int places[] = {100};
  char *text = numbered(200, words, places);
  const char *snippet = snippet_of("match", text, strlen(text));
  assert_memory_equal(snippet, "...w81 w82 ", strlen("...w81 w82 "));
  assert_non_null(strstr(snippet, " w99 >>>match<<< w101 "));
  assert_string_equal(snippet + strlen(snippet) - strlen(" w119 w120..."), " w119 w120...");
  st_free(text);
}

static void the_window_stays_in_the_text(void **state) {
  (void)state;
  static const char *const words[] = {"match", NULL};
  static const int first[] = {2}, last[] = {197};
  char *text = numbered(200, words, first);
  const char *snippet = snippet_of("match", text, strlen(text));
  assert_memory_equal(snippet, "w0 w1 >>>match<<< w3 ", strlen("w0 w1 >>>match<<< w3 "));
  assert_string_equal(snippet + strlen(snippet) - strlen(" w39..."), " w39...");
  st_free(text);
  text = numbered(200, words, last);
  snippet = snippet_of("match", text, strlen(text));
  assert_memory_equal(snippet, "...w160 w161 ", strlen("...w160 w161 "));
  assert_non_null(strstr(snippet, ">>>match<<< w198 w199"));
  assert_int_equal(snippet[strlen(snippet) - 1], '9');
  st_free(text);
}

static void the_window_has_most_terms_and_is_the_first(void **state) {
  (void)state;
  static const char *const words[] = {"one", "two", "two", "one", "two", "one", "two", "three", NULL};
  static const int places[] = {5, 45, 300, 320, 600, 620, 900, 1200}; /* 5 and 45 are one too far apart */
  char *text = numbered(1300, words, places);
  const char *snippet = snippet_of("one two three", text, strlen(text));
  assert_non_null(strstr(snippet, ">>>two<<<"));
  assert_non_null(strstr(snippet, ">>>one<<< w321"));
  assert_null(strstr(snippet, "three"));
  /* What a NOT forbids is no reason to show a place. */
  snippet = snippet_of("one OR x NOT two", text, strlen(text));
  assert_non_null(strstr(snippet, "w4 >>>one<<< w6"));
  st_free(text);
}

static void matches_before_the_window_are_wrapped_too(void **state) {
  (void)state;
  static const char *const words[] = {"one", "one", "two", NULL};
  static const int places[] = {95, 100, 101};
  char *text = numbered(200, words, places);
  const char *snippet = snippet_of("one two", text, strlen(text));
  assert_non_null(strstr(snippet, " >>>one<<< w96 "));
  assert_non_null(strstr(snippet, ">>>one<<< >>>two<<<"));
  st_free(text);
}

static void without_a_match_the_beginning_is_shown(void **state) {
  (void)state;
  static const char *const none[] = {NULL};
  char *text = numbered(100, none, NULL);
  const char *snippet = snippet_of("match", text, strlen(text));
  assert_memory_equal(snippet, "w0 w1 ", 6);
  assert_string_equal(snippet + strlen(snippet) - strlen(" w39..."), " w39...");
  st_free(text);
}

/* ---- awkward texts ---- */

/* A text of many times piece, with match somewhere in it. */
static char *around(const char *piece, int before, const char *match, int after) {
  st_str text;
  st_str_init(&text, 64 << 20);
  for (int i = 0; i < before; i++) st_str_addz(&text, piece);
  st_str_addz(&text, match);
  for (int i = 0; i < after; i++) st_str_addz(&text, piece);
  char *taken = st_str_take(&text);
  assert_non_null(taken);
  return taken;
}

static void long_tokens_and_gaps_are_cut(void **state) {
  (void)state;
  static const char *const pieces[] = {"x", "-", "é", "—", "\xF0\x9F\x8F\xBD", "部", " "};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    char *text = around(pieces[i], 5000, " match ", 5000);
    const char *snippet = snippet_of("match", text, strlen(text));
    assert_non_null(strstr(snippet, ">>>match<<<"));
    assert_true(strlen(snippet) <= ST_SNIPPET_BYTES + 12);
    assert_true(st_utf8_valid(snippet, strlen(snippet)));
    assert_memory_equal(snippet, "...", 3);
    st_free(text);
  }
}

static void a_long_match_is_cut(void **state) {
  (void)state;
  char *text = around("é", 5000, "", 0);
  const char *snippet = snippet_of("éééé*", text, strlen(text));
  assert_memory_equal(snippet, ">>>é", 5);
  assert_string_equal(snippet + strlen(snippet) - 8, "é<<<...");
  assert_true(st_utf8_valid(snippet, strlen(snippet)));
  /* The end of a word that was cut is not taken for a word. */
  st_free(text);
  text = around("x", 449, "éé match", 0);
  snippet = snippet_of("match x", text, strlen(text));
  assert_null(strstr(snippet, ">>>x"));
  st_free(text);
}

static void nul_and_bad_bytes_stay(void **state) {
  (void)state;
  size_t length;
  char *snippet = st_snippet(&arena, matcher_of("b"), "a\0b\xFF", 4, &length);
  assert_int_equal(length, 10);
  assert_memory_equal(snippet, "a\0>>>b<<<\xFF", 11);
}

static void megabytes_are_looked_through(void **state) {
  (void)state;
  char *text = around("lorem ipsum ", 100000, "match ", 100000);
  const char *snippet = snippet_of("match other", text, strlen(text));
  assert_non_null(strstr(snippet, "ipsum >>>match<<< lorem"));
  st_free(text);
  text = around("lorem ipsum ", 200000, "match ", 1); /* too far */
  snippet = snippet_of("match", text, strlen(text));
  assert_memory_equal(snippet, "lorem ipsum", 11);
  st_free(text);
}

static void random_texts_are_cut_between_characters(void **state) {
  (void)state;
  static const char *const pieces[] = {"a", "b", " ", " ", "é", "部", "🎉", "，", ".", "match", "\u0301", "한"};
  unsigned seed = 7;
  for (int round = 0; round < 2000; round++) {
    char text[3000];
    size_t length = 0;
    for (int i = 0; i < round % 600; i++) {
      seed = seed * 1103515245 + 12345;
      const char *piece = pieces[(seed >> 16) % 12];
      memcpy(text + length, piece, strlen(piece));
      length += strlen(piece);
    }
    const char *snippet = snippet_of("match OR \"a b\" OR 部* OR é", text, length);
    assert_true(st_utf8_valid(snippet, strlen(snippet)));
    st_arena_reset(&arena);
  }
}

static void a_snippet_without_memory_fails(void **state) {
  (void)state;
  st_matcher *matcher = matcher_of("a");
  st_arena fresh;
  st_arena_init(&fresh, 1 << 20);
  size_t length;
  fail_alloc_nth(1);
  assert_null(st_snippet(&fresh, matcher, "a b", 3, &length));
  assert_true(fail_alloc_end());
  st_arena_free(&fresh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(short_texts_are_shown_whole, set_up, tear_down),
      cmocka_unit_test_setup_teardown(matches_are_wrapped, set_up, tear_down),
      cmocka_unit_test_setup_teardown(overlapping_matches_become_one, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_window_is_in_the_middle, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_window_stays_in_the_text, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_window_has_most_terms_and_is_the_first, set_up, tear_down),
      cmocka_unit_test_setup_teardown(matches_before_the_window_are_wrapped_too, set_up, tear_down),
      cmocka_unit_test_setup_teardown(without_a_match_the_beginning_is_shown, set_up, tear_down),
      cmocka_unit_test_setup_teardown(long_tokens_and_gaps_are_cut, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_long_match_is_cut, set_up, tear_down),
      cmocka_unit_test_setup_teardown(nul_and_bad_bytes_stay, set_up, tear_down),
      cmocka_unit_test_setup_teardown(megabytes_are_looked_through, set_up, tear_down),
      cmocka_unit_test_setup_teardown(random_texts_are_cut_between_characters, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_snippet_without_memory_fails, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
