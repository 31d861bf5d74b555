/* wordpiece.c - see wordpiece.h. */
#include "embed/wordpiece.h"

#include <string.h>
#include <utf8proc.h>

#include "base/chars.h"

#define GOES_ON "##" /* begins a piece that does not begin its word */
#define GOES_ON_SIZE 2
#define PARTS_MAX 8

/* The word that is being read. */
typedef struct word {
  const st_model *model;
  float *sum;
  size_t length, characters;
  char text[GOES_ON_SIZE + 4 * ST_WORDPIECE_WORD_MAX]; /* from GOES_ON_SIZE on */
} word;

/* ---- Pieces ---- */

/* The longest piece that begins at `start`, or NULL; *end: behind it. */
static const st_model_token *longest(word *w, size_t start, size_t *end) {
  char *at = w->text + GOES_ON_SIZE + start;
  size_t before = start ? GOES_ON_SIZE : 0, most = w->model->header->token_max;
  size_t length = w->length - start;
  if (start) memcpy(at - GOES_ON_SIZE, GOES_ON, GOES_ON_SIZE); /* over what is done with */
  if (before + length > most) length = most > before ? most - before : 0;
  for (; length; length--) {
    if (start + length < w->length && ((unsigned char)at[length] & 0xC0) == 0x80) continue; /* inside of a character */
    const st_model_token *token = st_model_find(w->model, at - before, before + length);
    *end = start + length;
    if (token) return token;
  }
  return NULL;
}

/* All its pieces, or nothing. */
static void end_word(word *w) {
  const st_model_token *pieces[ST_WORDPIECE_WORD_MAX];
  size_t count = 0, at = 0;
  bool whole = w->characters <= w->model->header->word_max && w->characters <= ST_WORDPIECE_WORD_MAX;
  while (whole && at < w->length) {
    const st_model_token *piece = longest(w, at, &at);
    whole = piece != NULL;
    if (whole) pieces[count++] = piece;
  }
  for (size_t i = 0; whole && i < count; i++) st_model_add(w->model, pieces[i], w->sum);
  w->length = w->characters = 0;
}

static void add_char(word *w, int32_t c) {
  if (w->characters++ >= ST_WORDPIECE_WORD_MAX) return;
  w->length += st_char_write(c, w->text + GOES_ON_SIZE + w->length);
}

/* ---- Characters ---- */

static bool is_between(int32_t c, int32_t first, int32_t last) {
  return c >= first && c <= last;
}

static bool is_ideograph(int32_t c) {
  return is_between(c, 0x4E00, 0x9FFF) || is_between(c, 0x3400, 0x4DBF) || is_between(c, 0xF900, 0xFAFF) ||
         is_between(c, 0x20000, 0x2A6DF) || is_between(c, 0x2A700, 0x2CEAF) || is_between(c, 0x2F800, 0x2FA1F);
}

static bool is_space(int32_t c, utf8proc_category_t category) {
  return c == '\t' || c == '\n' || c == '\r' || is_between((int32_t)category, UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZP);
}

/* Control characters and what is not a character of anybody's. */
static bool is_other(int32_t c, utf8proc_category_t category) {
  return c == 0xFFFD || category == UTF8PROC_CATEGORY_CN || is_between((int32_t)category, UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CO);
}

static bool is_punctuation(int32_t c, utf8proc_category_t category) {
  if (c < 0x80) return c > ' ' && c != 0x7F && st_char_kind_of(c) == ST_CHAR_PUNCT;
  return is_between((int32_t)category, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}

/* A character that is a word of its own. */
static void add_alone(word *w, int32_t c) {
  end_word(w);
  add_char(w, c);
  end_word(w);
}

/* One character after accents and case. */
static void add_plain(word *w, int32_t c) {
  utf8proc_category_t category = utf8proc_category(c);
  if (w->model->header->flags & ST_MODEL_LOWER) c = utf8proc_tolower(c);
  if (is_punctuation(c, category)) add_alone(w, c);
  else add_char(w, c);
}

/* Its parts without those that are accents. */
static void add_unaccented(word *w, int32_t c) {
  int32_t part[PARTS_MAX] = {0};
  int boundclass = 0;
  utf8proc_ssize_t count = utf8proc_decompose_char(c, part, PARTS_MAX, UTF8PROC_DECOMPOSE, &boundclass);
  for (utf8proc_ssize_t i = 0; i < count && i < PARTS_MAX; i++)
    if (utf8proc_category(part[i]) != UTF8PROC_CATEGORY_MN) add_plain(w, part[i]);
}

static void add_any(word *w, int32_t c) {
  uint32_t flags = w->model->header->flags;
  utf8proc_category_t category = utf8proc_category(c);
  if (is_space(c, category)) end_word(w);
  else if ((flags & ST_MODEL_CLEAN) && is_other(c, category)) return;
  else if ((flags & ST_MODEL_IDEOGRAPHS) && is_ideograph(c)) add_alone(w, c);
  else if (c >= 0x80 && (flags & ST_MODEL_ACCENTS)) add_unaccented(w, c);
  else add_plain(w, c);
}

static bool is_ascii_word(unsigned char byte) {
  return st_char_kind_of(byte) == ST_CHAR_LETTER;
}

void st_wordpiece_add(const st_model *model, const char *text, size_t length, float *sum) {
  word w;
  w.model = model;
  w.sum = sum;
  w.length = w.characters = 0;
  const char *end = text + length;
  for (const char *at = text; at < end;) {
    int size = 1;
    if ((unsigned char)*at < 0x80 && is_ascii_word((unsigned char)*at)) {
      char letter = *at >= 'A' && *at <= 'Z' && (model->header->flags & ST_MODEL_LOWER) ? (char)(*at + ('a' - 'A')) : *at;
      if (w.characters++ < ST_WORDPIECE_WORD_MAX) w.text[GOES_ON_SIZE + w.length++] = letter;
    } else {
      int32_t c = st_char_read(at, end, &size);
      add_any(&w, c < 0 ? 0xFFFD : c);
    }
    at += size;
  }
  end_word(&w);
}
