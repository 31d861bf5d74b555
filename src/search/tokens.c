/* tokens.c - see tokens.h. */
#include "search/tokens.h"

#define LITERAL_MAX (4u << 20)

st_tokens st_tokens_write(st_call *call, st_tsvector *vector, const st_value *text, const st_value *title, const st_value *extra) {
  st_column columns[ST_COLUMNS];
  st_tokens tokens = {NULL, false, false};
  st_str literal;
  if (!vector || !st_ok(call)) return tokens;
  st_columns_read(call, call->arena, text, title, extra, columns);
  st_str_init(&literal, LITERAL_MAX);
  st_tsvector_init(vector, &literal);
  for (int i = 0; i < ST_COLUMNS; i++)
    if (columns[i].text) st_tsvector_add(vector, columns[i].text, columns[i].length, "ABC"[i]);
  tokens.lost = vector->phrases_lost;
  tokens.cut = vector->words_lost;
  if (literal.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(call)) tokens.text = st_call_copy(call, literal.text ? literal.text : "", literal.length);
  st_str_free(&literal);
  return tokens;
}
