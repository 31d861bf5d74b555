/* tsvector.c - writes 'token':position pairs.  The tokens need no escaping: none has a quote or a
** backslash in it. */
#include "search/tsvector.h"

#include "base/token.h"
#include "search/hash.h"

#define POSITION_SIZE 16 /* at least the bytes of quotes, position, weight and space around a token */

void st_tsvector_init(st_tsvector *vector, st_str *out) {
  *vector = (st_tsvector){.out = out, .start = out->length};
}

/* Count the token, and say whether it is known to be in the vector. */
static bool is_known(st_tsvector *vector, const char *token, size_t length) {
  uint64_t hash = st_hash(token, length);
  size_t slot = hash % ST_TSVECTOR_SLOTS;
  bool known = vector->word[slot] == hash;
  vector->word[slot] = hash;
  if (++vector->times[slot] > ST_TSVECTOR_WORD_MAX) { /* counted for all words of the slot: rather too often */
    vector->times[slot] = ST_TSVECTOR_WORD_MAX;
    vector->phrases_lost = true;
  }
  return known;
}

static bool add_token(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  (void)start, (void)end, (void)kind;
  st_tsvector *vector = to;
  st_str *out = vector->out;
  bool known = is_known(vector, token, length);
  bool placed = vector->position < ST_TSVECTOR_POSITION_MAX;
  if (placed) vector->position++;
  else vector->phrases_lost = true;
  if (known && !placed) return true;
  if (out->length - vector->start + length + POSITION_SIZE > ST_TSVECTOR_MAX) {
    vector->words_lost = vector->phrases_lost = true;
    return false;
  }
  st_str_addc(out, '\'');
  st_str_add(out, token, length);
  if (placed) st_str_addf(out, "':%d%c ", vector->position, vector->weight);
  else st_str_addz(out, "' ");
  return !out->failed;
}

void st_tsvector_add(st_tsvector *vector, const char *text, size_t length, char weight) {
  vector->weight = weight;
  if (vector->position && vector->position < ST_TSVECTOR_POSITION_MAX) vector->position++; /* a gap */
  st_tokenize(text, length, add_token, vector);
}
