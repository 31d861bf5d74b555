/* fts5_token.c - hands the tokens to FTS5.  A text and a query are read in the same way. */
#include "search/fts5_token.h"

#include <stddef.h>

#include "search/fts5_api.h"
#include "search/token.h"

typedef int fts5_token_fn(void *context, int flags, const char *token, int length, int start, int end);

typedef struct handing {
  fts5_token_fn *fn;
  void *context;
  int result;
} handing;

static bool hand_on(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  (void)kind;
  handing *h = to;
  h->result = h->fn(h->context, 0, token, (int)length, (int)start, (int)end);
  return h->result == SQLITE_OK;
}

/* The tokeniser has no state; FTS5 only wants something that is not NULL. */
static char stateless;

static int create(void *context, const char **args, int count, Fts5Tokenizer **out) {
  (void)context, (void)args, (void)count;
  *out = (Fts5Tokenizer *)(void *)&stateless;
  return SQLITE_OK;
}

static void drop(Fts5Tokenizer *tokenizer) {
  (void)tokenizer;
}

static int tokenize(Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int length,
                    fts5_token_fn *fn) {
  (void)tokenizer, (void)flags;
  handing h = {.fn = fn, .context = context, .result = SQLITE_OK};
  if (text && length > 0) st_tokenize(text, (size_t)length, hand_on, &h);
  return h.result;
}

int st_fts5_tokenizer_register(sqlite3 *db) {
  fts5_api *api;
  fts5_tokenizer tokenizer = {create, drop, tokenize};
  int code = st_fts5_api(db, &api);
  return code == SQLITE_OK ? api->xCreateTokenizer(api, "stele", NULL, &tokenizer, NULL) : code;
}
