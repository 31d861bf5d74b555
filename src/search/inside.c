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

static bool has_part(const st_term *term) {
  for (int i = 0; i < term->count && !term->negative; i++)
    if (st_inside_is_part(&term->tokens[i])) return true;
  return false;
}

bool st_inside_is_possible(const st_query *query) {
  for (int i = 0; i < query->term_count; i++)
    if (has_part(&query->terms[i])) return true;
  return false;
}

bool st_inside_is_plain(const st_query *query) {
  for (int i = 0; i < query->term_count; i++)
    if (query->terms[i].count > 1 && has_part(&query->terms[i])) return false;
  return st_inside_is_possible(query);
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

/* ---- a quick look ---- */

/* A text of ASCII in lower case. */
typedef struct lower {
  const char *at;
  const char *end;
} lower;

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Do the tokens from the i-th on follow, with something between them that is in no word? */
static bool goes_on(const st_term *term, int i, lower text) {
  for (; i < term->count; i++) {
    const st_query_token *token = &term->tokens[i];
    if (text.at == text.end || is_letter(*text.at)) return false;
    while (text.at < text.end && !is_letter(*text.at)) text.at++;
    if ((size_t)(text.end - text.at) < token->length || memcmp(text.at, token->text, token->length) != 0) return false;
    text.at += token->length;
  }
  return true;
}

static bool term_may_be_in(const st_term *term, lower text) {
  const st_query_token *first = &term->tokens[0];
  while ((text.at = memmem(text.at, (size_t)(text.end - text.at), first->text, first->length))) {
    text.at += first->length;
    if (goes_on(term, 1, text)) return true;
    text.at -= first->length - 1;
  }
  return false;
}

static bool may_be_in(const st_query_node *node, lower text) {
  switch (node->kind) {
    case ST_QUERY_TERM: return term_may_be_in(node->term, text);
    case ST_QUERY_AND: return may_be_in(node->left, text) && may_be_in(node->right, text);
    case ST_QUERY_OR: return may_be_in(node->left, text) || may_be_in(node->right, text);
    case ST_QUERY_NOT: return may_be_in(node->left, text);
    case ST_QUERY_EMPTY: break;
  }
  return false;
}

/* What is not ASCII would have to be folded. */
bool st_inside_may_match(st_arena *scratch, const st_query *query, const char *text, size_t length) {
  char *copy = length ? st_arena_alloc(scratch, length) : NULL;
  unsigned char bits = 0;
  if (!copy) return length > 0;
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    copy[i] = (char)(c | ((unsigned char)(c - 'A') < 26 ? 0x20 : 0));
    bits |= c;
  }
  return bits >= 0x80 || may_be_in(query->root, (lower){copy, copy + length});
}
