/* token.c - the tokeniser.  ASCII goes by a table; the rest character by character. */
#include "base/token.h"

#include <utf8proc.h>

#include "base/chars.h"
#include "base/fold.h"

typedef struct reader {
  const char *text;
  const char *end;
  st_token_fn *fn;
  void *to;
  size_t last_end;    /* where the last token ended */
  st_token_kind last; /* BOUNDARY before the first */
  bool punctuated;    /* punctuation has come since */
} reader;

/* The letters and digits of ASCII, in lower case; 0 for all other bytes. */
static const char ascii_letter[256] = {
    ['0'] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
    ['A'] = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
    'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
    ['a'] = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
    'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
};

const char *st_tokenizer_unicode(void) {
  return utf8proc_unicode_version();
}

/* Hand on a token that came from `from` to `to`.  Where reading goes on, or NULL when it was stopped. */
static const char *emit(reader *r, const char *token, size_t length, const char *from, const char *to,
                        st_token_kind kind) {
  size_t start = (size_t)(from - r->text);
  if (r->punctuated && r->last != ST_TOKEN_BOUNDARY && (r->last == ST_TOKEN_CJK || kind == ST_TOKEN_CJK) &&
      !r->fn(r->to, ST_TOKEN_BOUNDARY_TEXT, 1, r->last_end, start, ST_TOKEN_BOUNDARY))
    return NULL;
  r->punctuated = false;
  r->last = kind;
  r->last_end = (size_t)(to - r->text);
  return r->fn(r->to, token, length, start, r->last_end, kind) ? to : NULL;
}

typedef struct word {
  char text[ST_TOKEN_MAX];
  size_t length;
  size_t room; /* becomes length when something did not fit, so that nothing is left out in the middle */
} word;

static void add_to_word(word *w, int32_t c) {
  char folded[ST_FOLD_MAX];
  size_t more = st_fold_char(c, folded);
  if (w->length + more > w->room) {
    w->room = w->length;
    return;
  }
  for (size_t i = 0; i < more; i++) w->text[w->length++] = folded[i];
}

/* The word that begins at `at`. */
static const char *read_word(reader *r, const char *at) {
  word w;
  w.length = 0;
  w.room = ST_TOKEN_MAX;
  const char *start = at;
  const char *last = at; /* behind the last letter or mark */
  for (;;) {
    char letter;
    while (at < r->end && (letter = ascii_letter[(unsigned char)*at]) != 0) {
      if (w.length < w.room) w.text[w.length++] = letter;
      last = ++at;
    }
    if (at == r->end || (unsigned char)*at < 0x80) break;
    int size;
    int32_t c = st_fold_read(at, r->end, &size);
    st_char_kind kind = c < 0 ? ST_CHAR_PUNCT : st_char_kind_of(c);
    if (kind != ST_CHAR_LETTER && kind != ST_CHAR_MARK && kind != ST_CHAR_NOTHING) break;
    at += size;
    if (kind == ST_CHAR_NOTHING) continue;
    add_to_word(&w, c);
    last = at;
  }
  return emit(r, w.text, w.length, start, last, ST_TOKEN_WORD);
}

/* What begins at `at` and is not ASCII. */
static const char *read_other(reader *r, const char *at) {
  int size;
  char folded[ST_FOLD_MAX];
  int32_t c = st_fold_read(at, r->end, &size);
  switch (c < 0 ? ST_CHAR_PUNCT : st_char_kind_of(c)) {
    case ST_CHAR_LETTER: return read_word(r, at);
    case ST_CHAR_CJK: return emit(r, folded, st_fold_char(c, folded), at, at + size, ST_TOKEN_CJK);
    case ST_CHAR_SYMBOL: return emit(r, folded, st_fold_char(c, folded), at, at + size, ST_TOKEN_SYMBOL);
    case ST_CHAR_PUNCT: r->punctuated = true; break;
    case ST_CHAR_SPACE:
    case ST_CHAR_MARK:
    case ST_CHAR_NOTHING: break;
  }
  return at + size;
}

bool st_tokenize(const char *text, size_t length, st_token_fn *fn, void *to) {
  if (!length) return true; /* then there may be no text */
  reader r = {.text = text, .end = text + length, .fn = fn, .to = to, .last = ST_TOKEN_BOUNDARY};
  const char *at = text;
  while (at && at < r.end) {
    unsigned char byte = (unsigned char)*at;
    if (ascii_letter[byte]) {
      at = read_word(&r, at);
    } else if (byte < 0x80) {
      if (byte != ' ' && (byte < '\t' || byte > '\r')) r.punctuated = true;
      at++;
    } else {
      at = read_other(&r, at);
    }
  }
  return at;
}
