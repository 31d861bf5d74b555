/* query_write.c - a query in the words of the engines.  The tokens need no escaping: none has a quote or
** a backslash in it. */
#include "search/query.h"

#include <stdio.h>

/* How an engine writes a query. */
typedef struct dialect {
  const char *both;
  const char *either;
  const char *without; /* NULL: what a NOT would leave out stays */
  void (*term)(const st_term *term, st_str *out);
} dialect;

static void write_node(const dialect *to, const st_query_node *node, st_str *out);

/* One side of a node.  What is joined in another way goes into brackets. */
static void write_side(const dialect *to, const st_query_node *side, st_query_kind parent, st_str *out) {
  bool brackets = side->kind != ST_QUERY_TERM && side->kind != parent;
  if (brackets) st_str_addc(out, '(');
  write_node(to, side, out);
  if (brackets) st_str_addc(out, ')');
}

static void write_node(const dialect *to, const st_query_node *node, st_str *out) {
  switch (node->kind) {
    case ST_QUERY_EMPTY: return;
    case ST_QUERY_TERM: to->term(node->term, out); return;
    case ST_QUERY_AND:
    case ST_QUERY_OR:
    case ST_QUERY_NOT: break;
  }
  write_side(to, node->left, node->kind, out);
  if (node->kind == ST_QUERY_NOT && !to->without) return;
  st_str_addz(out, node->kind == ST_QUERY_AND ? to->both : node->kind == ST_QUERY_OR ? to->either : to->without);
  write_side(to, node->right, node->kind, out);
}

static void fts5_term(const st_term *term, st_str *out) {
  for (int i = 0; i < term->count; i++) {
    const st_query_token *token = &term->tokens[i];
    st_str_addc(out, i ? ' ' : '"');
    if (token->kind == ST_TOKEN_BOUNDARY) st_str_addc(out, '.');
    else st_str_add(out, token->text, token->length);
  }
  st_str_addz(out, term->prefix ? "\"*" : "\"");
}

static void tsquery_term_joined(const st_term *term, const char *joint, st_str *out) {
  if (term->count > 1) st_str_addc(out, '(');
  for (int i = 0; i < term->count; i++) {
    if (i) st_str_addz(out, joint);
    st_str_addc(out, '\'');
    st_str_add(out, term->tokens[i].text, term->tokens[i].length);
    st_str_addc(out, '\'');
  }
  if (term->prefix) st_str_addz(out, ":*");
  if (term->count > 1) st_str_addc(out, ')');
}

static void tsquery_term(const st_term *term, st_str *out) {
  tsquery_term_joined(term, " <-> ", out);
}

static void tsquery_term_loose(const st_term *term, st_str *out) {
  tsquery_term_joined(term, " & ", out);
}

void st_query_fts5(const st_query *query, st_str *out) {
  static const dialect fts5 = {" AND ", " OR ", " NOT ", fts5_term};
  if (query->root->kind == ST_QUERY_EMPTY) st_str_addz(out, "\"\"");
  write_node(&fts5, query->root, out);
}

void st_query_tsquery(const st_query *query, st_str *out) {
  static const dialect tsquery = {" & ", " | ", " & !", tsquery_term};
  write_node(&tsquery, query->root, out);
}

void st_query_tsquery_loose(const st_query *query, st_str *out) {
  static const dialect loose = {" & ", " | ", NULL, tsquery_term_loose};
  write_node(&loose, query->root, out);
}

bool st_term_name(const st_term *term, char *out, size_t size) {
  size_t used = 0;
  for (int i = 0; i < term->count; i++) {
    int n = snprintf(out + used, size - used, "%s%s", i ? " " : "", term->tokens[i].text);
    used += (size_t)n;
    if (used >= size) return false;
  }
  return !term->prefix || (size_t)snprintf(out + used, size - used, " *") < size - used;
}
