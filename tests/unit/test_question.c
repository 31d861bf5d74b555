/* test_question.c - which texts are questions, and what is read in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "fail_alloc.h"
#include "search/question.h"

#define LENGTH(list) (sizeof(list) / sizeof *(list))

static st_arena arena;

static int set_up(void **state) {
  (void)state;
  st_arena_init(&arena, 16 * 1024 * 1024);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  st_arena_free(&arena);
  return 0;
}

static const st_question *read_text(const char *text) {
  const st_question *question = st_question_read(&arena, text, strlen(text));
  assert_non_null(question);
  return question;
}

static const char *word_of(const st_question *question, int group) {
  return question->query->terms[question->groups[group].first].tokens[0].text;
}

/* The words that are looked for, as they were asked, with spaces between. */
static void check_words(const char *text, const char *words) {
  const st_question *question = read_text(text);
  char found[512] = "";
  for (int i = 0; i < question->ngroups; i++) {
    if (i) strcat(found, " ");
    strcat(found, word_of(question, i));
  }
  assert_string_equal(found, words);
}

static void questions_are_told_from_words(void **state) {
  static const char *const questions[] = {
      "When did Melanie go camping?", "what is the name of her dog", "Which book did she read, \"Charlotte's Web\" or another?", "Caroline's new job?",
      "remind me where we left off", "the place where I met the man with the hat", "Where has Melanie camped?  "};
  static const char *const queries[] = {"", "   ", "deploy plan", "deploy OR plan", "what AND when OR where", "when did depl*", "deploy?", "camping trip photos lake",
                                        "error in parser.c", "\"a phrase\""};
  (void)state;
  for (size_t i = 0; i < LENGTH(questions); i++)
    if (!st_question_is(questions[i], strlen(questions[i]))) fail_msg("no question: %s", questions[i]);
  for (size_t i = 0; i < LENGTH(queries); i++)
    if (st_question_is(queries[i], strlen(queries[i]))) fail_msg("a question: %s", queries[i]);
}

static void common_words_are_left_out(void **state) {
  (void)state;
  check_words("When did Melanie go camping in June?", "melanie go camping june");
  check_words("What didn't she tell him?", "what didn t she tell him"); /* there are no others */
  check_words("Who is who?", "who is");
  check_words("", "");
  check_words("?!", "");
}

static void a_word_is_looked_for_once(void **state) {
  (void)state;
  check_words("Did she camp where others camped, camping?", "camp others");
}

static void forms_belong_to_their_word(void **state) {
  const st_question *question = read_text("Did Ann buy the boat?");
  bool bought = false;
  (void)state;
  assert_int_equal(question->ngroups, 3);
  const st_group *buy = &question->groups[1];
  for (int i = 0; i < buy->count; i++) bought = bought || !strcmp(question->query->terms[buy->first + i].tokens[0].text, "bought");
  assert_true(bought);
  for (int i = 0; i < question->query->term_count; i++) assert_int_equal(question->query->terms[i].number, i);
}

static void what_names_something_counts_more(void **state) {
  const st_question *question = read_text("Which books did Ann read in 2023, \"web\" or others?");
  (void)state;
  static const struct { const char *word; bool more; } wanted[] = {{"books", false}, {"ann", true}, {"read", false}, {"2023", true}, {"web", true}, {"others", false}};
  assert_int_equal(question->ngroups, LENGTH(wanted));
  for (size_t i = 0; i < LENGTH(wanted); i++) {
    assert_string_equal(word_of(question, (int)i), wanted[i].word);
    assert_int_equal(question->groups[i].weight > 1, wanted[i].more);
  }
}

static void persons_and_times_are_read(void **state) {
  const st_question *question = read_text("What did I do in May and June 2023?");
  (void)state;
  assert_true(question->of_me && !question->of_you);
  assert_int_equal(question->months, 1u << 4 | 1u << 5);
  assert_int_equal(question->year, 2023);
  question = read_text("What may your dog eat?");
  assert_true(question->of_you && !question->of_me);
  assert_int_equal(question->months, 0);
  assert_int_equal(question->year, 0);
}

/* Anything at all, in any length: the question has a query, and no more terms than a query may have. */
static void no_text_is_an_error(void **state) {
  unsigned seed = 1;
  (void)state;
  for (int round = 0; round < 2000; round++) {
    size_t length = (size_t)(seed % 400);
    char *text = malloc(length ? length : 1);
    for (size_t i = 0; i < length; i++) {
      seed = seed * 1103515245u + 12345u;
      text[i] = (char)(seed >> 16 & 3 ? "abc de?\"WhatI's "[seed >> 18 & 15] : (char)(seed >> 20));
    }
    st_question_is(text, length);
    const st_question *question = st_question_read(&arena, text, length);
    assert_non_null(question);
    assert_true(question->query->term_count <= ST_QUERY_TERMS_MAX);
    assert_true(question->ngroups <= ST_QUESTION_GROUPS);
    free(text);
    st_arena_reset(&arena);
    seed = seed * 1103515245u + 12345u;
  }
}

static void without_memory_it_says_so(void **state) {
  static const char text[] = "When did Melanie go camping near the lake?";
  const st_question *question = NULL;
  (void)state;
  for (int n = 1; !question && n < 1000; n++) {
    st_arena own;
    st_arena_init(&own, 1 << 20);
    fail_alloc_nth(n);
    question = st_question_read(&own, text, strlen(text));
    assert_int_equal(question == NULL, fail_alloc_end());
    st_arena_free(&own);
  }
  assert_non_null(question);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(questions_are_told_from_words, set_up, tear_down),
      cmocka_unit_test_setup_teardown(common_words_are_left_out, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_word_is_looked_for_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(forms_belong_to_their_word, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_names_something_counts_more, set_up, tear_down),
      cmocka_unit_test_setup_teardown(persons_and_times_are_read, set_up, tear_down),
      cmocka_unit_test_setup_teardown(no_text_is_an_error, set_up, tear_down),
      cmocka_unit_test_setup_teardown(without_memory_it_says_so, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
