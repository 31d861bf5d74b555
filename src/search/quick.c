/* quick.c - see quick.h. */
#include "search/quick.h"

#include "registry_ids.h"
#include "search/index_file.h"
#include "search/index_words.h"

#define PREFIX_ROWS 20000 /* the words that begin so are in this many messages: below that they are all looked for */
#define INDEX_PLACES 60000
#define POSTGRES_PLACES 200000 /* they are packed: find_postgres.c */

typedef struct planning {
  st_call *call;
  const st_quick_words *words;
  st_quick *plan;
  st_query *query;
  int left; /* terms that are still to be planned */
} planning;

static void *need(planning *p, size_t size) {
  return st_call_alloc(p->call, size);
}

/* ---- What is known of words ---- */

st_quick_words st_quick_index(st_index *index) { return (st_quick_words){index, index->total_rows, index->marks.upto, INDEX_PLACES}; }

st_quick_words st_quick_postgres(double total_rows, int64_t last) { return (st_quick_words){NULL, total_rows, last, POSTGRES_PLACES}; }

static void check(planning *p, int code) {
  if (code != SQLITE_OK) st_index_fail(p->call, p->words->index, code);
}

static double count_word(planning *p, const st_query_token *token) {
  st_value word = st_textz(token->text);
  int code = SQLITE_OK;
  if (!p->words->index) return st_words_count(p->call, &word, 1, 0);
  double count = st_vocabulary_rows(p->words->index, token->text, token->length, &code);
  check(p, code);
  return count;
}

/* One part of the index stands for all. */
static int complete_on_server(planning *p, const st_query_token *token, st_word *words, double *all) {
  st_value args[] = {st_textz(token->text), st_int(ST_COMPLETIONS)}, v[ST_R_CONVERSATION_COMPLETE_WORD_KNOWN + 1];
  st_rows rows;
  int count = 0;
  *all = 0;
  st_rows_start(p->call, &rows, STELE_M_CONVERSATION_COMPLETE_WORD, args);
  while (count < ST_COMPLETIONS && st_rows_next(p->call, &rows)) {
    st_rows_keep(p->call, &rows, v);
    if (!st_ok(p->call)) break;
    const st_value *word = &v[ST_R_CONVERSATION_COMPLETE_WORD_WORD];
    double times = p->words->total_rows / (double)v[ST_R_CONVERSATION_COMPLETE_WORD_KNOWN].integer;
    words[count++] = (st_word){word->bytes, word->length, times * (double)v[ST_R_CONVERSATION_COMPLETE_WORD_ROWS].integer};
    *all = times * (double)v[ST_R_CONVERSATION_COMPLETE_WORD_EVERY].integer;
  }
  st_rows_end(p->call, &rows);
  return count;
}

static int complete(planning *p, const st_query_token *token, st_word *words, double *all) {
  int code = SQLITE_OK;
  if (!p->words->index) return complete_on_server(p, token, words, all);
  int count = st_vocabulary_complete(p->words->index, p->call->arena, token->text, token->length, words, all, &code);
  check(p, code);
  return count;
}

/* ---- Planning ---- */

static st_query_node *node_of(planning *p, st_query_kind kind, const st_query_node *left, const st_query_node *right,
                              const st_term *term) {
  st_query_node *node = need(p, sizeof *node);
  if (node) *node = (st_query_node){kind, term, left, right};
  return node;
}

/* A term of the new query, with what is known of it. */
static st_query_node *add_term(planning *p, st_term term, double rows) {
  st_query *query = p->query;
  term.number = query->term_count;
  p->plan->rows[term.number] = rows;
  query->terms[query->term_count] = term;
  return node_of(p, ST_QUERY_TERM, NULL, NULL, &query->terms[query->term_count++]);
}

static st_query_node *add_word(planning *p, const st_word *word) {
  st_query_token *token = need(p, sizeof *token);
  if (!token) return NULL;
  *token = (st_query_token){.text = word->text, .length = word->length, .kind = ST_TOKEN_WORD, .typed = ""};
  return add_term(p, (st_term){.tokens = token, .count = 1}, word->rows);
}

/* A phrase is in as many messages as the rarest of its words, at most. */
static double rows_of(planning *p, const st_term *term) {
  double least = p->words->total_rows;
  for (int i = 0; i < term->count && st_ok(p->call); i++) {
    const st_query_token *token = &term->tokens[i];
    if (token->kind == ST_TOKEN_BOUNDARY || (term->prefix && i == term->count - 1 && i > 0)) continue;
    double rows = count_word(p, token);
    if (rows < least) least = rows;
  }
  return least;
}

/* `dep*` becomes `deploy OR depends OR ...`, if the words that begin so are in very many messages. */
static st_query_node *plan_prefix(planning *p, const st_term *term) {
  st_word words[ST_COMPLETIONS];
  double all = 0;
  bool room = p->query->term_count + ST_COMPLETIONS + p->left <= ST_QUERY_TERMS_MAX;
  int count = room ? complete(p, &term->tokens[0], words, &all) : 0;
  if (!st_ok(p->call)) return NULL;
  if (all < PREFIX_ROWS) return add_term(p, *term, all);
  st_query_node *node = add_word(p, &words[0]);
  for (int i = 1; i < count && st_ok(p->call); i++) node = node_of(p, ST_QUERY_OR, node, add_word(p, &words[i]), NULL);
  return node;
}

static st_query_node *plan_node(planning *p, const st_query_node *node) {
  if (!st_ok(p->call)) return NULL;
  if (node->kind == ST_QUERY_TERM) {
    const st_term *term = node->term;
    p->left--;
    if (term->prefix && term->count == 1 && !term->negative && term->tokens[0].kind == ST_TOKEN_WORD)
      return plan_prefix(p, term);
    return add_term(p, *term, rows_of(p, term));
  }
  const st_query_node *left = plan_node(p, node->left);
  return node_of(p, node->kind, left, plan_node(p, node->right), NULL);
}

bool st_quick_plan(st_call *call, const st_quick_words *words, const st_query *query, st_quick *plan) {
  planning p = {.call = call, .words = words, .plan = plan, .left = query->term_count};
  *plan = (st_quick){.query = query};
  p.query = need(&p, sizeof *p.query);
  if (p.query) *p.query = *query;
  if (p.query) p.query->terms = need(&p, ST_QUERY_TERMS_MAX * sizeof(st_term));
  if (!st_ok(call)) return false;
  p.query->term_count = 0;
  p.query->root = plan_node(&p, query->root);
  plan->query = p.query;
  double postings = 0;
  for (int i = 0; i < p.query->term_count; i++) postings += plan->rows[i];
  if (postings > words->most) plan->from = words->last - (int64_t)((double)words->last * words->most / postings);
  return st_ok(call);
}
