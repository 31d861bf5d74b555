/* words.c - see words.h. */
#include "embed/words.h"

#include <string.h>

#include "base/token.h"

/* ---- Endings ---- */

#define STEM_MIN 3

typedef struct ending {
  const char *text, *instead;
} ending;

/* Tried one after the other, the first that leads to a known word counts. */
static const ending ENDINGS[] = {
    {"ies", "y"}, {"es", ""}, {"s", ""},  {"ied", "y"}, {"ed", "e"}, {"ed", ""},  {"ing", ""},
    {"ing", "e"}, {"ly", ""}, {"er", ""}, {"er", "e"},  {"ness", ""}, {"able", ""}, {"able", "e"},
};

/* stopped: stop.  The stem's last letter stands twice because of the ending. */
static bool is_doubled(const char *stem, size_t length) {
  return length > STEM_MIN && stem[length - 1] == stem[length - 2] && !strchr("aeiou", stem[length - 1]);
}

/* The word with another ending, or NULL: it does not end so, or there is no such word. */
static const st_model_token *with_ending(const st_model *model, const char *word, size_t length, const ending *of) {
  char stem[ST_TOKEN_MAX + 4];
  size_t cut = strlen(of->text), more = strlen(of->instead);
  if (length < cut + STEM_MIN || memcmp(word + length - cut, of->text, cut) != 0) return NULL;
  length -= cut;
  memcpy(stem, word, length);
  memcpy(stem + length, of->instead, more);
  const st_model_token *token = st_model_find(model, stem, length + more);
  return token || more || !is_doubled(stem, length) ? token : st_model_find(model, stem, length - 1);
}

static const st_model_token *find_without_ending(const st_model *model, const char *word, size_t length) {
  const st_model_token *token = NULL;
  for (size_t i = 0; !token && i < sizeof ENDINGS / sizeof *ENDINGS; i++)
    token = with_ending(model, word, length, &ENDINGS[i]);
  return token;
}

static const st_model_token *find(const st_model *model, const char *word, size_t length) {
  const st_model_token *token = st_model_find(model, word, length);
  return token ? token : find_without_ending(model, word, length);
}

/* ---- Names of programs ---- */

typedef enum letter { DIGIT, UPPER, LOWER } letter;

static letter letter_of(char c) {
  return c >= '0' && c <= '9' ? DIGIT : c >= 'A' && c <= 'Z' ? UPPER : LOWER;
}

/* Does a part end before the i-th character of a name?  fooBar: before B; HTTPServer: before S; utf8: before 8. */
static bool is_seam(const char *name, size_t length, size_t i) {
  letter before = letter_of(name[i - 1]), here = letter_of(name[i]);
  if (before == DIGIT || here == DIGIT) return before != here;
  if (before == LOWER && here == UPPER) return true;
  return before == UPPER && here == UPPER && i + 1 < length && letter_of(name[i + 1]) == LOWER;
}

/* ---- Texts ---- */

typedef struct adding {
  const st_model *model;
  const char *text;
  float *sum;
} adding;

static void add(const adding *a, const st_model_token *token) {
  if (token && token->weight != 0) st_model_add(a->model, token, a->sum);
}

/* The parts of an unknown word.  Its name is the word before folding: of ASCII, character by character the same. */
static bool add_parts(const adding *a, const char *name, const char *word, size_t length) {
  size_t start = 0;
  for (size_t i = 1; i < length; i++) {
    if (!is_seam(name, length, i)) continue;
    add(a, find(a->model, word + start, i - start));
    start = i;
  }
  if (start) add(a, find(a->model, word + start, length - start));
  return start > 0;
}

static bool is_ascii(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] >= 0x80) return false;
  return true;
}

static bool on_token(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  const adding *a = to;
  if (kind == ST_TOKEN_BOUNDARY) return true;
  const st_model_token *known = st_model_find(a->model, token, length);
  bool taken_apart = !known && length == end - start && is_ascii(a->text + start, length) &&
                     add_parts(a, a->text + start, token, length);
  if (!taken_apart) add(a, known ? known : find_without_ending(a->model, token, length));
  return true;
}

void st_words_add(const st_model *model, const char *text, size_t length, float *sum) {
  adding a = {model, text, sum};
  st_tokenize(text, length, on_token, &a);
}

/* ---- One word ---- */

typedef struct folding {
  char *out;
  size_t length, whole;
} folding;

static bool on_only_token(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  folding *f = to;
  if (start != 0 || end != f->whole || kind == ST_TOKEN_BOUNDARY) return false;
  memcpy(f->out, token, length);
  f->length = length;
  return true;
}

size_t st_words_fold(const char *text, size_t length, char *out) {
  folding f = {.out = out, .whole = length};
  return st_tokenize(text, length, on_only_token, &f) ? f.length : 0;
}
