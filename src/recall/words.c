/* words.c - see words.h. */
#include "recall/words.h"

#include <stdlib.h>
#include <string.h>

#include "recall/measure.h"
#include "recall/shown.h"
#include "search/inside.h"
#include "search/remark.h"
#include "stores/conversation/asked.h"

static st_query *copy_of(st_call *call, const st_query *query) {
  st_query *copy = query ? st_call_alloc(call, sizeof *copy) : NULL;
  if (copy) *copy = *query;
  else st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return copy;
}

void st_recall_words_read(st_call *call, st_recall_words *words, const st_value *text) { words->query = st_asked_read(call, text); }

/* ---- Asking every store ---- */

typedef struct looking {
  const st_recall_words *words;
  st_documents_found found; /* by the store last asked */
} looking;

static void look(st_asked_store *store, void *with) {
  looking *l = with;
  st_documents_find(&store->part, l->words->query, &store->filter, l->words->order, l->words->k, &l->found);
}

static int by_score(const void *a, const void *b) {
  const st_recalled *one = a, *other = b;
  if (one->words_score != other->words_score) return one->words_score > other->words_score ? -1 : 1;
  return one->store != other->store ? one->store - other->store : one->words_rank - other->words_rank;
}

/* Newest first; the oldest are those backwards, but of one store and time they stay as they are. */
static int by_newest(const void *a, const void *b) {
  const st_recalled *one = a, *other = b;
  if (one->time != other->time) return one->time > other->time ? -1 : 1;
  return one->store != other->store ? one->store - other->store : one->words_rank - other->words_rank;
}

static int by_oldest(const void *a, const void *b) {
  const st_recalled *one = a, *other = b;
  return one->time != other->time ? by_newest(b, a) : by_newest(a, b);
}

static void add(st_call *call, const looking *l, int store, st_recalled_list *out) {
  size_t count = (size_t)out->count + (size_t)l->found.count;
  st_recalled *rows = st_call_alloc(call, (count + 1) * sizeof *rows);
  if (!rows) return;
  if (out->count) memcpy(rows, out->rows, (size_t)out->count * sizeof *rows);
  for (int i = 0; i < l->found.count; i++) {
    const st_document_hit *hit = &l->found.hits[i];
    rows[out->count + i] = (st_recalled){.store = store, .kind = hit->kind, .id = hit->id, .time = hit->time,
                                         .words_rank = i + 1, .words_score = hit->score, .recency = 1};
  }
  *out = (st_recalled_list){rows, (int)count};
}

static void ask(st_asked_stores *asked, const st_recall_words *words, st_recalled_list *out) {
  static int (*const orders[])(const void *, const void *) = {
      [ST_ORDER_RANK] = by_score, [ST_ORDER_NEWEST] = by_newest, [ST_ORDER_OLDEST] = by_oldest};
  int answered = 0;
  *out = (st_recalled_list){NULL, 0};
  for (int i = 0; i < asked->count; i++) {
    looking l = {.words = words};
    if (!st_asked_run(asked, i, look, &l) || !l.found.count) continue;
    add(asked->call, &l, i, out);
    answered++;
  }
  if (st_ok(asked->call) && words->order == ST_ORDER_RANK && answered > 1) st_measure(asked, words->query, out);
  if (!st_ok(asked->call) || !out->count) return;
  qsort(out->rows, (size_t)out->count, sizeof *out->rows, orders[words->order]);
  if (out->count > words->k) out->count = words->k;
  for (int i = 0; i < out->count; i++) out->rows[i].words_rank = i + 1;
}

/* ---- What else the words may mean ---- */

/* Are there several words, none of which was joined to another in some way of its own? */
static bool is_plain(const st_query *query) {
  const st_term *terms[2];
  for (const st_query_node *node = query->root; node->kind != ST_QUERY_TERM; node = node->left)
    if (node->kind != ST_QUERY_AND) return false;
  return st_query_terms(query, terms, 2) > 1;
}

static void ask_any(st_asked_stores *asked, st_recall_words *words, st_recalled_list *out) {
  st_recall_words any = *words;
  any.query = copy_of(asked->call, st_query_any(asked->call->arena, words->query));
  if (st_ok(asked->call)) ask(asked, &any, out);
  if (st_ok(asked->call) && out->count > 0) words->query = any.query;
}

static void ask_inside(st_asked_stores *asked, st_recall_words *words, st_recalled_list *out) {
  words->query->inside = true;
  ask(asked, words, out);
}

static void ask_further(st_asked_stores *asked, st_recall_words *words, st_recalled_list *out) {
  st_call *call = asked->call;
  if (is_plain(words->query)) {
    ask_any(asked, words, out);
    if (st_ok(call) && out->count > 0) st_note(call, "nothing has all the words of the query: found by some of them");
  }
  if (!st_ok(call) || out->count > 0 || !st_inside_is_plain(words->query)) return;
  ask_inside(asked, words, out);
  if (st_ok(call) && out->count > 0) st_asked_note_inside(call, words->query);
}

void st_recall_words_find(st_asked_stores *asked, st_recall_words *words, st_recalled_list *out) {
  bool possible = st_inside_is_possible(words->query);
  *out = (st_recalled_list){NULL, 0};
  if (words->query->root->kind == ST_QUERY_EMPTY) return;
  if (strcmp(words->match, "any") == 0) {
    ask_any(asked, words, out);
  } else if (strcmp(words->match, "substrings") == 0 && possible) {
    ask_inside(asked, words, out);
  } else {
    if (strcmp(words->match, "substrings") == 0)
      st_note(asked->call, "words of less than %d characters are not looked for inside of words", ST_INSIDE_CHARACTERS);
    ask(asked, words, out);
    if (st_ok(asked->call) && out->count == 0 && strcmp(words->match, "auto") == 0) ask_further(asked, words, out);
  }
}

/* ---- Why ---- */

static void add_term(st_str *out, const st_term *term) {
  st_str_addz(out, out->length ? ", \"" : "has \"");
  for (int i = 0; i < term->count; i++) {
    const st_query_token *token = &term->tokens[i];
    if (i) st_str_addc(out, ' ');
    st_remark_quote(out, token->typed[0] ? token->typed : token->text, strlen(token->typed[0] ? token->typed : token->text));
  }
  st_str_addz(out, term->prefix ? "*\"" : "\"");
}

st_value st_recall_words_why(st_call *call, st_matcher *matcher, const st_document *document) {
  st_column columns[ST_SHOWN_COLUMNS];
  const st_query *query = st_matcher_query(matcher);
  st_str out;
  st_str_init(&out, 1 << 16);
  st_shown_columns(call, document, columns);
  st_match(matcher, columns, ST_SHOWN_COLUMNS);
  for (int i = 0; i < query->term_count; i++) {
    const st_term *term = &query->terms[i];
    if (!term->negative && st_match_times(matcher, term) > 0) add_term(&out, term);
  }
  if (!out.length) st_str_addz(&out, "has the words");
  return st_take(call, &out);
}
