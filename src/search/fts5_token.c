/* fts5_token.c - hands the tokens to FTS5.  A text and a query are read in the same way. */
#include "search/fts5_token.h"

#include <stddef.h>

#include "base/token.h"
#include "search/fts5_api.h"

typedef int fts5_token_fn(void *context, int flags, const char *token, int length, int start, int end);

/* FTS5 gives a tokeniser its context only when it is made, and wants something that is not NULL from it:
** it is the context itself. */
static int create(void *context, const char **args, int count, Fts5Tokenizer **out) {
  (void)args, (void)count;
  *out = context;
  return SQLITE_OK;
}

static void drop(Fts5Tokenizer *tokenizer) {
  (void)tokenizer;
}

/* ---- Words ---- */

typedef struct handing {
  fts5_token_fn *fn;
  void *context;
  int result;
  uint32_t count;
} handing;

static bool hand_on(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  (void)kind;
  handing *h = to;
  h->count++;
  h->result = h->fn(h->context, 0, token, (int)length, (int)start, (int)end);
  return h->result == SQLITE_OK;
}

static int tokenize(Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int length,
                    fts5_token_fn *fn) {
  handing h = {.fn = fn, .context = context, .result = SQLITE_OK};
  if (text && length > 0) st_tokenize(text, (size_t)length, hand_on, &h);
  if (flags & FTS5_TOKENIZE_DOCUMENT) *(uint32_t *)(void *)tokenizer += h.count;
  return h.result;
}

/* ---- Trigrams ---- */

#define SEEN_BITS 12

typedef struct cutting {
  fts5_token_fn *fn;
  void *context;
  st_inner *inner; /* NULL: the text is a query */
  int result;
  uint32_t seen[1 << SEEN_BITS]; /* by hash, the last one there: one may come twice, but none is left out */
} cutting;

/* Those of ASCII, nearly all, are handed on once; of the others a repetition costs only time. */
static bool is_repeated(cutting *c, const char *trigram, size_t length) {
  if (length != 3) return false;
  uint32_t bytes = (uint32_t)trigram[0] | (uint32_t)trigram[1] << 8 | (uint32_t)trigram[2] << 16;
  uint32_t *seen = &c->seen[bytes * UINT32_C(2654435761) >> (32 - SEEN_BITS)];
  if (*seen == bytes) return true;
  *seen = bytes;
  return false;
}

static const char *next_character(const char *at, const char *end) {
  do at++;
  while (at < end && ((unsigned char)*at & 0xC0) == 0x80);
  return at;
}

static bool cut_word(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  cutting *c = to;
  const char *stop = token + length, *from = token, *behind = token;
  if (kind != ST_TOKEN_WORD) return true;
  for (int i = 0; i < 3; i++) {
    if (behind >= stop) return true; /* less than three characters */
    behind = next_character(behind, stop);
  }
  if (c->inner) st_inner_see(c->inner, token, length);
  for (;;) {
    size_t size = (size_t)(behind - from);
    if (!is_repeated(c, from, size)) c->result = c->fn(c->context, 0, from, (int)size, (int)start, (int)end);
    if (behind >= stop || c->result != SQLITE_OK) return c->result == SQLITE_OK;
    from = next_character(from, stop);
    behind = next_character(behind, stop);
  }
}

static int tokenize_trigrams(Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int length,
                             fts5_token_fn *fn) {
  st_inner *inner = flags & FTS5_TOKENIZE_DOCUMENT ? (st_inner *)(void *)tokenizer : NULL;
  cutting c = {.fn = fn, .context = context, .inner = inner, .result = SQLITE_OK};
  if (text && length > 0) st_tokenize(text, (size_t)length, cut_word, &c);
  return c.result;
}

int st_fts5_tokenizer_register(sqlite3 *db, uint32_t *counted, st_inner *inner) {
  fts5_api *api;
  fts5_tokenizer words = {create, drop, tokenize}, trigrams = {create, drop, tokenize_trigrams};
  int code = st_fts5_api(db, &api);
  if (code == SQLITE_OK) code = api->xCreateTokenizer(api, "stele", counted, &words, NULL);
  return code == SQLITE_OK ? api->xCreateTokenizer(api, "stele_trigram", inner, &trigrams, NULL) : code;
}
