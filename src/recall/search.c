/* search.c - recall.search: every store is asked, what they found becomes one list, and a page of it is told. */
#include <math.h>
#include <string.h>

#include "base/time.h"
#include "recall/asked.h"
#include "recall/diverse.h"
#include "recall/found.h"
#include "recall/meant.h"
#include "recall/origin.h"
#include "recall/page.h"
#include "recall/question.h"
#include "recall/recall.h"
#include "recall/shown.h"
#include "recall/why.h"
#include "recall/words.h"
#include "registry_ids.h"
#include "search/inside.h"
#include "stores/conversation/asked.h"

#define DEPTH 100   /* of what each store finds by its words */
#define NEAREST 100 /* and by meaning */
#define LEAST_RECENCY 0.25 /* however old something is */

_Static_assert((int)ST_P_RECALL_SEARCH_ROLES == (int)ST_P_RECALL_SEARCH_STORES + ST_WANTED_LISTS - 1, "the lists stand together");

static st_wanted wanted_of(const st_call *call) {
  st_wanted wanted = st_wanted_of(call, ST_P_RECALL_SEARCH_STORES);
  if (st_has(call, ST_P_RECALL_SEARCH_SINCE)) wanted.since = st_arg_real(call, ST_P_RECALL_SEARCH_SINCE);
  if (st_has(call, ST_P_RECALL_SEARCH_UNTIL)) wanted.until = st_arg_real(call, ST_P_RECALL_SEARCH_UNTIL);
  return wanted;
}

static st_order order_of(const st_call *call) {
  const char *sort = st_arg_text(call, ST_P_RECALL_SEARCH_SORT);
  if (strcmp(sort, "newest") == 0) return ST_ORDER_NEWEST;
  return strcmp(sort, "oldest") == 0 ? ST_ORDER_OLDEST : ST_ORDER_RANK;
}

/* ---- Finding ---- */

typedef struct searching {
  st_asked_stores asked;
  const st_value *text;
  const char *match; /* auto, all, any or substrings */
  st_recall_words words;
  const st_query *shown; /* whose matches are shown */
  st_meant_lists meant;
  st_recalled_list list;
} searching;

/* How many each store is asked for.  The order of what is found depends on all of it, so page after page asks for
** equally many; only far behind they become more. */
static int depth_of(int wanted) {
  int depth = DEPTH;
  while (depth < wanted) depth *= 2;
  return depth;
}

static bool is(const searching *s, const char *match) { return strcmp(s->match, match) == 0; }
static bool is_ranked(const searching *s) { return s->words.order == ST_ORDER_RANK; }

static bool has_terms_only(const st_query_node *node) {
  if (node->kind == ST_QUERY_AND) return has_terms_only(node->left) && has_terms_only(node->right);
  return node->kind == ST_QUERY_TERM;
}

/* Words and nothing else: no operator, no phrase. */
static bool is_plain(const searching *s) {
  return has_terms_only(s->words.query->root) && !memchr(s->text->bytes, '"', s->text->length);
}

/* By any of its words in any of their forms, and by meaning. */
static void ask_question(searching *s) {
  st_call *call = s->asked.call;
  const st_question *question = st_question_read(call->arena, s->text->bytes, s->text->length);
  if (!question) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (!st_ok(call)) return;
  st_recall_ask(&s->asked, question, &s->meant, &s->list);
  s->shown = question->query;
}

/* What is near in meaning joins what has the words. */
static void add_meant(searching *s) {
  for (int i = 0; i < s->asked.count; i++) {
    const st_meant_list *near = &s->meant.stores[i];
    int words = s->list.count;
    for (int n = 0; n < near->count && st_ok(s->asked.call); n++) {
      st_recalled row = {.store = i, .kind = near->rows[n].kind, .id = near->rows[n].id, .favour = 1, .recency = 1}, *at = NULL;
      for (int w = 0; w < words && !at; w++)
        if (st_recalled_same(&s->list.rows[w], &row)) at = &s->list.rows[w];
      if (!at && (at = st_recalled_more(s->asked.call, &s->list, 1))) *at = row;
      if (at) at->similarity = at->by_meaning = near->rows[n].similarity;
    }
  }
}

static bool has_words(const st_recalled_list *list) {
  for (int i = 0; i < list->count; i++)
    if (list->rows[i].by_words > 0) return true;
  return false;
}

/* Nothing has all the words. */
static void find_further(searching *s) {
  st_call *call = s->asked.call;
  if (!is_plain(s)) return;
  if (is_ranked(s)) ask_question(s);
  if (st_ok(call) && has_words(&s->list)) st_note(call, "nothing has all the words of the query: found by some of them, or other forms of them");
  if (!st_ok(call) || has_words(&s->list) || !st_inside_is_plain(s->words.query)) return;
  st_recalled_list inside;
  st_recall_words_inside(&s->asked, &s->words, &inside);
  if (!st_ok(call) || !inside.count) return;
  s->list = inside;
  s->shown = s->words.query;
  st_asked_note_inside(call, s->words.query);
}

static void find_inside(searching *s) {
  if (st_inside_is_possible(s->words.query)) {
    st_recall_words_inside(&s->asked, &s->words, &s->list);
  } else {
    if (s->words.query->root->kind != ST_QUERY_EMPTY)
      st_note(s->asked.call, "words of less than %d characters are not looked for inside of words", ST_INSIDE_CHARACTERS);
    st_recall_words_find(&s->asked, &s->words, &s->list);
  }
}

static void find(searching *s) {
  st_call *call = s->asked.call;
  bool question = is_ranked(s) && (is(s, "any") || (is(s, "auto") && st_question_is(s->text->bytes, s->text->length)));
  bool meant = is_ranked(s) && (question || st_has(call, ST_P_RECALL_SEARCH_VECTOR) || (is(s, "auto") && is_plain(s)));
  s->shown = s->words.query;
  s->list = (st_recalled_list){NULL, 0};
  s->meant = (st_meant_lists){.stores = st_call_alloc(call, ((size_t)s->asked.count + 1) * sizeof *s->meant.stores)};
  for (int i = 0; st_ok(call) && i < s->asked.count; i++) s->meant.stores[i] = (st_meant_list){NULL, 0};
  if (st_ok(call) && meant) st_meant_find(&s->asked, &call->args[ST_P_RECALL_SEARCH_VECTOR], s->text, NEAREST, &s->meant);
  if (!st_ok(call)) return;
  if (is(s, "substrings")) find_inside(s);
  else if (question) ask_question(s);
  else if (is(s, "any")) st_recall_words_any(&s->asked, &s->words, &s->list);
  else st_recall_words_find(&s->asked, &s->words, &s->list);
  if (st_ok(call) && is(s, "auto") && !question && s->list.count == 0) find_further(s);
  else if (st_ok(call) && meant && !question) add_meant(s);
  if (st_ok(call) && s->meant.problem) st_note(call, "searched by words alone: %s", s->meant.problem);
}

/* ---- One list ---- */

static void weigh_age(searching *s, double half_life) {
  double now = (double)st_time_now() / 1e6;
  if (half_life <= 0) return;
  st_recalled_read(&s->asked, s->list.rows, s->list.count);
  for (int i = 0; i < s->list.count; i++) {
    double age = now - s->list.rows[i].time;
    s->list.rows[i].recency = age > 0 ? fmax(LEAST_RECENCY, exp2(-age / half_life)) : 1;
  }
}

static void rank(searching *s) {
  st_call *call = s->asked.call;
  weigh_age(s, st_arg_real(call, ST_P_RECALL_SEARCH_HALF_LIFE));
  if (st_ok(call)) st_recalled_fuse(call, &s->list);
  if (st_ok(call) && st_arg_int(call, ST_P_RECALL_SEARCH_DIVERSE)) st_diverse(&s->asked, &s->list);
}

/* ---- The reply ---- */

static void tell(st_asked_stores *asked, const st_recalled *row, st_matcher *matcher, st_budget *budget) {
  st_call *call = asked->call;
  st_value *out = st_reply(call);
  if (!out) return;
  st_show(asked, row, matcher, budget, out);
  out[ST_R_RECALL_SEARCH_SCORE] = st_real(row->score);
  out[ST_R_RECALL_SEARCH_PARTS] = st_why_parts(call, row);
  out[ST_R_RECALL_SEARCH_WHY] = st_why(call, matcher, row);
  out[ST_R_RECALL_SEARCH_MARK] = st_shown_mark(asked, row);
}

void st_recall_tell_page(st_recall_page *page) {
  st_call *call = page->asked.call;
  if (!st_ok(call) || !page->count) return;
  st_matcher *matcher = st_matcher_new(call->arena, page->shown);
  st_budget budget = st_budget_of(call, ST_P_RECALL_SEARCH_TOKENS, page->count);
  int told = 0;
  if (!matcher) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  for (; told < page->count && st_ok(call) && !st_budget_is_spent(&budget); told++)
    if (page->rows[told].document.id.type > ST_NULL) tell(&page->asked, &page->rows[told], matcher, &budget); /* else deleted a moment ago */
  if (st_ok(call) && told < page->count)
    st_note(call, "%d more would have gone beyond %lld tokens: ask for them with offset %lld", page->count - told,
            (long long)st_arg_int(call, ST_P_RECALL_SEARCH_TOKENS),
            (long long)st_arg_int(call, ST_P_RECALL_SEARCH_OFFSET) + told);
}

void st_recall_find_page(st_call *call, st_recall_page *out) {
  int limit = (int)st_arg_int(call, ST_P_RECALL_SEARCH_LIMIT), offset = (int)st_arg_int(call, ST_P_RECALL_SEARCH_OFFSET);
  st_wanted wanted = wanted_of(call);
  searching s = {.text = &call->args[ST_P_RECALL_SEARCH_QUERY],
                 .match = st_arg_text(call, ST_P_RECALL_SEARCH_MATCH),
                 .words = {.order = order_of(call), .k = depth_of(offset + limit)}};
  st_recall_words_read(call, &s.words, s.text);
  st_asked_open(call, &wanted, &s.asked);
  if (st_ok(call) && st_wanted_list(call, ST_P_RECALL_SEARCH_SOURCES))
    st_origin_narrow(&s.asked, &call->args[ST_P_RECALL_SEARCH_SOURCES]);
  if (st_ok(call) && limit > 0) find(&s);
  if (st_ok(call) && limit > 0 && is_ranked(&s)) rank(&s);
  int left = st_ok(call) ? s.list.count - offset : 0;
  *out = (st_recall_page){.asked = s.asked, .count = left < 0 ? 0 : left < limit ? left : limit, .shown = s.shown};
  if (!out->count) return;
  out->rows = s.list.rows + offset;
  st_recalled_read(&out->asked, out->rows, out->count);
}

void st_recall_search(st_call *call) {
  st_recall_page page;
  st_recall_find_page(call, &page);
  st_recall_tell_page(&page);
}
