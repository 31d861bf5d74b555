/* query_any.c - queries that find what has some of many words. */
#include "search/query.h"

bool st_query_join_any(st_arena *arena, st_query *query) {
  size_t count = (size_t)query->term_count;
  st_query_node *nodes = st_arena_zero(arena, (2 * count + 1) * sizeof *nodes); /* the first of all: EMPTY */
  if (!nodes) return false;
  query->root = nodes;
  for (size_t i = 0; i < count; i++) {
    st_query_node *leaf = &nodes[2 * i + 1], *either = &nodes[2 * i + 2];
    query->terms[i].number = (int)i;
    *leaf = (st_query_node){.kind = ST_QUERY_TERM, .term = &query->terms[i]};
    *either = (st_query_node){.kind = ST_QUERY_OR, .left = query->root, .right = leaf};
    query->root = i == 0 ? leaf : either;
  }
  return true;
}

static void add(st_query *query, st_term term) {
  if (query->term_count < ST_QUERY_TERMS_MAX) query->terms[query->term_count++] = term;
}

static bool is_of_words(const st_term *term) {
  for (int i = 0; i < term->count; i++)
    if (term->tokens[i].kind != ST_TOKEN_WORD) return false;
  return true;
}

const st_query *st_query_any(st_arena *arena, const st_query *query) {
  st_query *any = st_arena_zero(arena, sizeof *any);
  st_term *terms = st_arena_zero(arena, ST_QUERY_TERMS_MAX * sizeof *terms);
  if (!any || !terms) return NULL;
  *any = *query;
  any->terms = terms;
  any->term_count = 0;
  for (int i = 0; i < query->term_count; i++) {
    const st_term *term = &query->terms[i];
    if (term->negative) continue;
    if (!is_of_words(term)) add(any, *term);
    for (int t = 0; t < term->count && is_of_words(term); t++)
      add(any, (st_term){.tokens = &term->tokens[t], .count = 1, .prefix = term->prefix && t + 1 == term->count});
  }
  return st_query_join_any(arena, any) ? any : NULL;
}
