/* stem.c - see stem.h.  The steps and their names are those of M. F. Porter, "An algorithm for suffix stripping".
**
** A word is a sequence of runs of consonants and vowels; its measure is how often consonants follow vowels.  A suffix
** is replaced if what stands before it is long enough by that measure. */
#include "search/stem.h"

#include <stdbool.h>
#include <string.h>

typedef struct stemmer {
  char *word;
  size_t length;
  size_t before; /* the length of what stands before the suffix that was last seen */
} stemmer;

/* y is a vowel behind a consonant. */
static bool is_consonant(const stemmer *s, size_t at) {
  if (strchr("aeiou", s->word[at])) return false;
  return s->word[at] != 'y' || at == 0 || !is_consonant(s, at - 1);
}

static int measure(const stemmer *s) {
  int count = 0;
  for (size_t i = 1; i < s->before; i++)
    if (is_consonant(s, i) && !is_consonant(s, i - 1)) count++;
  return count;
}

static bool has_vowel(const stemmer *s) {
  for (size_t i = 0; i < s->before; i++)
    if (!is_consonant(s, i)) return true;
  return false;
}

static bool ends_double(const stemmer *s, size_t length) {
  return length > 1 && s->word[length - 1] == s->word[length - 2] && is_consonant(s, length - 1);
}

/* consonant, vowel, consonant that is not w, x or y: hop, not how */
static bool ends_short(const stemmer *s, size_t length) {
  return length > 2 && is_consonant(s, length - 3) && !is_consonant(s, length - 2) && is_consonant(s, length - 1) &&
         !strchr("wxy", s->word[length - 1]);
}

static bool ends(stemmer *s, const char *suffix) {
  size_t length = strlen(suffix);
  if (length > s->length || memcmp(s->word + s->length - length, suffix, length) != 0) return false;
  s->before = s->length - length;
  return true;
}

/* No replacement is longer than the suffix was, but for the e of step 1b, which takes the place of letters cut before. */
static void put(stemmer *s, const char *ending) {
  size_t length = strlen(ending);
  memcpy(s->word + s->before, ending, length);
  s->length = s->before + length;
}

static void step_1a(stemmer *s) {
  if (ends(s, "sses")) put(s, "ss");
  else if (ends(s, "ies")) put(s, "i");
  else if (!ends(s, "ss") && ends(s, "s")) put(s, "");
}

static void step_1b(stemmer *s) {
  if (ends(s, "eed")) {
    if (measure(s) > 0) put(s, "ee");
    return;
  }
  if (!((ends(s, "ed") && has_vowel(s)) || (ends(s, "ing") && has_vowel(s)))) return;
  put(s, "");
  if (ends(s, "at") || ends(s, "bl") || ends(s, "iz")) {
    s->word[s->length++] = 'e';
  } else if (ends_double(s, s->length)) {
    if (!strchr("lsz", s->word[s->length - 1])) s->length--;
  } else {
    s->before = s->length;
    if (measure(s) == 1 && ends_short(s, s->length)) s->word[s->length++] = 'e';
  }
}

static void step_1c(stemmer *s) {
  if (ends(s, "y") && has_vowel(s)) put(s, "i");
}

typedef struct rule {
  const char *suffix, *ending;
} rule;

/* The first suffix that the word has decides, whether it is replaced or not. */
static void replace(stemmer *s, const rule *rules, size_t count, int least) {
  for (size_t i = 0; i < count; i++) {
    if (!ends(s, rules[i].suffix)) continue;
    bool allowed = strcmp(rules[i].suffix, "ion") != 0 || (s->before > 0 && strchr("st", s->word[s->before - 1]));
    if (allowed && measure(s) > least) put(s, rules[i].ending);
    return;
  }
}

#define REPLACE(s, rules, least) replace(s, rules, sizeof(rules) / sizeof *(rules), least)

static void steps_2_to_4(stemmer *s) {
  static const rule second[] = {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
                                {"abli", "able"},   {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
                                {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
                                {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"}};
  static const rule third[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}};
  static const rule fourth[] = {{"al", ""},  {"ance", ""}, {"ence", ""}, {"er", ""},  {"ic", ""},  {"able", ""}, {"ible", ""},
                                {"ant", ""}, {"ement", ""}, {"ment", ""}, {"ent", ""}, {"ion", ""}, {"ou", ""},   {"ism", ""},
                                {"ate", ""}, {"iti", ""},  {"ous", ""},  {"ive", ""}, {"ize", ""}};
  REPLACE(s, second, 0);
  REPLACE(s, third, 0);
  REPLACE(s, fourth, 1);
}

static void step_5(stemmer *s) {
  if (ends(s, "e")) {
    int m = measure(s);
    if (m > 1 || (m == 1 && !ends_short(s, s->before))) put(s, "");
  }
  s->before = s->length;
  if (s->word[s->length - 1] == 'l' && ends_double(s, s->length) && measure(s) > 1) s->length--;
}

size_t st_stem(char *word, size_t length) {
  stemmer s = {word, length, 0};
  for (size_t i = 0; i < length; i++)
    if (word[i] < 'a' || word[i] > 'z') return length;
  if (length < 3) return length;
  step_1a(&s);
  step_1b(&s);
  step_1c(&s);
  steps_2_to_4(&s);
  step_5(&s);
  return s.length;
}
