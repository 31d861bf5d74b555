/* inside.c - see inside.h. */
#include "search/inside.h"

#include <string.h>

bool st_inside_is_part(const st_query_token *token) {
  int characters = 0;
  if (token->kind != ST_TOKEN_WORD) return false;
  for (size_t i = 0; i < token->length && characters < ST_INSIDE_CHARACTERS; i++)
    characters += ((unsigned char)token->text[i] & 0xC0) != 0x80;
  return characters == ST_INSIDE_CHARACTERS;
}

bool st_inside_is_possible(const st_query *query) {
  for (int i = 0; i < query->term_count; i++)
    for (int j = 0; j < query->terms[i].count && !query->terms[i].negative; j++)
      if (st_inside_is_part(&query->terms[i].tokens[j])) return true;
  return false;
}

bool st_inside_fits(const st_term *term, int i, const char *token, size_t length, size_t *from, size_t *to) {
  const st_query_token *wanted = &term->tokens[i];
  bool first = i == 0, last = i == term->count - 1;
  if (length < wanted->length) return false;
  bool part = (first || last) && st_inside_is_part(wanted);
  const char *at = token;
  if (part && first && last) at = memmem(token, length, wanted->text, wanted->length);
  else if (part && first) at = token + length - wanted->length;
  if (!at || memcmp(at, wanted->text, wanted->length) != 0) return false;
  *from = (size_t)(at - token);
  *to = *from + wanted->length;
  bool may_go_on = last && (part || term->prefix);
  return (part && first) || may_go_on || length == wanted->length;
}
