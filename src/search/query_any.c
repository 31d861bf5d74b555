/* query_any.c - a query that finds what has some of the words of another. */
#include "search/query.h"

typedef struct builder {
  st_query *query;
  st_query_node *node; /* the next to be used */
} builder;

static void add(builder *b, st_term term) {
  st_query *query = b->query;
  if (query->term_count == ST_QUERY_TERMS_MAX) return;
  st_term *place = &query->terms[query->term_count];
  *place = term;
  place->number = query->term_count++;
  st_query_node *right = b->node++;
  *right = (st_query_node){.kind = ST_QUERY_TERM, .term = place};
  if (query->term_count == 1) {
    query->root = right;
    return;
  }
  *b->node = (st_query_node){.kind = ST_QUERY_OR, .left = query->root, .right = right};
  query->root = b->node++;
}

static bool is_of_words(const st_term *term) {
  for (int i = 0; i < term->count; i++)
    if (term->tokens[i].kind != ST_TOKEN_WORD) return false;
  return true;
}

const st_query *st_query_any(st_arena *arena, const st_query *query) {
  st_query *any = st_arena_zero(arena, sizeof *any);
  builder b = {any, st_arena_zero(arena, (size_t)2 * ST_QUERY_TERMS_MAX * sizeof *b.node)};
  st_term *terms = st_arena_zero(arena, ST_QUERY_TERMS_MAX * sizeof *terms);
  if (!any || !b.node || !terms) return NULL;
  *any = *query;
  any->terms = terms;
  any->term_count = 0;
  for (int i = 0; i < query->term_count; i++) {
    const st_term *term = &query->terms[i];
    if (term->negative) continue;
    if (!is_of_words(term)) add(&b, *term);
    for (int t = 0; t < term->count && is_of_words(term); t++)
      add(&b, (st_term){.tokens = &term->tokens[t], .count = 1, .prefix = term->prefix && t + 1 == term->count});
  }
  return any;
}
