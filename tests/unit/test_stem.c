/* test_stem.c - stems of English words, and the forms of a word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "search/inflect.h"
#include "search/stem.h"

#define LENGTH(list) (sizeof(list) / sizeof *(list))

static void check_stem(const char *word, const char *stem) {
  char copy[64];
  memcpy(copy, word, strlen(word));
  size_t length = st_stem(copy, strlen(word));
  copy[length] = '\0';
  assert_string_equal(copy, stem);
}

/* The steps of the algorithm one by one. */
static void words_lose_their_endings(void **state) {
  static const char *const pairs[][2] = {
      {"caresses", "caress"}, {"ponies", "poni"},       {"caress", "caress"},    {"cats", "cat"},         {"feed", "feed"},
      {"agreed", "agre"},     {"plastered", "plaster"}, {"bled", "bled"},        {"motoring", "motor"},   {"sing", "sing"},
      {"conflated", "conflat"}, {"troubled", "troubl"}, {"sized", "size"},       {"hopping", "hop"},      {"falling", "fall"},
      {"hissing", "hiss"},    {"failing", "fail"},      {"filing", "file"},      {"happy", "happi"},      {"sky", "sky"},
      {"relational", "relat"}, {"conditional", "condit"}, {"digitizer", "digit"}, {"radically", "radic"},  {"vileness", "vile"},
      {"formative", "form"},  {"formalize", "formal"},  {"electrical", "electr"}, {"hopeful", "hope"},     {"goodness", "good"},
      {"revival", "reviv"},   {"allowance", "allow"},   {"airliner", "airlin"},  {"adjustable", "adjust"}, {"replacement", "replac"},
      {"adoption", "adopt"},  {"region", "region"},     {"effective", "effect"}, {"probate", "probat"},   {"rate", "rate"},
      {"cease", "ceas"},      {"controlling", "control"}, {"rolling", "roll"},   {"oscillators", "oscil"}};
  (void)state;
  for (size_t i = 0; i < LENGTH(pairs); i++) check_stem(pairs[i][0], pairs[i][1]);
}

static void what_is_no_english_word_stays(void **state) {
  static const char *const words[] = {"a", "is", "s", "2023", "b2b", "caf\xC3\xA9s", "x86s"};
  (void)state;
  for (size_t i = 0; i < LENGTH(words); i++) check_stem(words[i], words[i]);
}

/* No word of up to four letters makes it read or write elsewhere, or leaves nothing. */
static void no_word_is_too_odd(void **state) {
  static const char letters[] = "aeiysgndlt";
  enum { LETTERS = 10, LONGEST = 4 };
  (void)state;
  for (int length = 1, words = LETTERS; length <= LONGEST; length++, words *= LETTERS) {
    for (int n = 0; n < words; n++) {
      char *word = malloc((size_t)length);
      for (int i = 0, rest = n; i < length; i++, rest /= LETTERS) word[i] = letters[rest % LETTERS];
      size_t left = st_stem(word, (size_t)length);
      assert_true(left >= 1 && left <= (size_t)length);
      free(word);
    }
  }
}

static int has_form(const char *word, const char *wanted) {
  st_form forms[ST_FORMS_MAX];
  int count = st_inflect(word, strlen(word), forms, ST_FORMS_MAX);
  for (int i = 0; i < count; i++)
    if (!strcmp(forms[i], wanted)) return 1;
  return 0;
}

static void a_word_has_its_forms(void **state) {
  static const char *const pairs[][2] = {
      {"camp", "camped"},     {"camping", "camp"},   {"camped", "camping"},  {"adopt", "adoption"},  {"adoption", "adopted"}, {"race", "racing"},
      {"studies", "studying"}, {"hobby", "hobbies"}, {"plan", "planned"},    {"planning", "plans"},  {"educate", "education"}, {"education", "educated"},
      {"activity", "activities"}, {"activities", "activity"}, {"volunteer", "volunteering"}, {"volunteered", "volunteer"}, {"marry", "married"},
      {"buy", "bought"},      {"went", "going"},     {"swam", "swim"},       {"children", "child"},  {"go", "went"},          {"paint", "painted"}};
  (void)state;
  for (size_t i = 0; i < LENGTH(pairs); i++)
    if (!has_form(pairs[i][0], pairs[i][1])) fail_msg("%s has no form %s", pairs[i][0], pairs[i][1]);
}

static void other_words_are_not_forms(void **state) {
  static const char *const pairs[][2] = {{"camp", "camp"}, {"camp", "campus"}, {"hop", "hoping"}, {"hope", "hopping"}, {"buy", "boy"}};
  (void)state;
  for (size_t i = 0; i < LENGTH(pairs); i++)
    if (has_form(pairs[i][0], pairs[i][1])) fail_msg("%s has the form %s", pairs[i][0], pairs[i][1]);
}

static void there_are_no_more_forms_than_room(void **state) {
  st_form forms[2];
  (void)state;
  assert_int_equal(st_inflect("camping", 7, forms, 2), 2);
  assert_int_equal(st_inflect("camping", 7, forms, 0), 0);
  assert_int_equal(st_inflect("12", 2, forms, 2), 0);
  assert_int_equal(st_inflect("", 0, forms, 2), 0);
  assert_int_equal(st_inflect("pneumonoultramicroscopicsilicovolcanoconiosis", 45, forms, 2), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_lose_their_endings),
      cmocka_unit_test(what_is_no_english_word_stays),
      cmocka_unit_test(no_word_is_too_odd),
      cmocka_unit_test(a_word_has_its_forms),
      cmocka_unit_test(other_words_are_not_forms),
      cmocka_unit_test(there_are_no_more_forms_than_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
