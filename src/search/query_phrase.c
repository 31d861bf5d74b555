/* query_phrase.c - a query that finds what has the words of another one after another. */
#include <string.h>

#include "search/query.h"

static int count_tokens(const st_query *query) {
  int count = 0;
  for (int i = 0; i < query->term_count; i++)
    if (!query->terms[i].negative) count += query->terms[i].count;
  return count;
}

static void join(const st_query *query, st_term *phrase) {
  for (int i = 0; i < query->term_count; i++) {
    const st_term *term = &query->terms[i];
    if (term->negative) continue;
    memcpy(&phrase->tokens[phrase->count], term->tokens, (size_t)term->count * sizeof *term->tokens);
    phrase->count += term->count;
    phrase->prefix = term->prefix;
  }
}

const st_query *st_query_phrase(st_arena *arena, const st_query *query) {
  int count = count_tokens(query);
  st_query *made = st_arena_zero(arena, sizeof *made);
  st_query_node *root = st_arena_zero(arena, sizeof *root);
  st_term *phrase = st_arena_zero(arena, sizeof *phrase);
  if (!made || !root || !phrase) return NULL;
  *made = (st_query){.root = root, .remark = ""};
  root->kind = ST_QUERY_EMPTY;
  if (count < 2 || count > ST_PHRASE_TOKENS_MAX) return made;
  phrase->tokens = st_arena_alloc(arena, (size_t)count * sizeof *phrase->tokens);
  if (!phrase->tokens) return NULL;
  join(query, phrase);
  *root = (st_query_node){.kind = ST_QUERY_TERM, .term = phrase};
  made->terms = phrase;
  made->term_count = 1;
  return made;
}
