/* search.c - recall.search: every store is asked, what they found becomes one list, and a page of it is told. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/time.h"
#include "recall/asked.h"
#include "recall/found.h"
#include "recall/origin.h"
#include "recall/recall.h"
#include "recall/shown.h"
#include "recall/words.h"
#include "registry_ids.h"
#include "search/fuse.h"

#define DEPTH 100
#define LEAST_RECENCY 0.25 /* however old something is */

static st_wanted wanted_of(const st_call *call) {
  st_wanted wanted = ST_WANTED_ALL;
  wanted.stores = st_wanted_list(call, ST_P_RECALL_SEARCH_STORES);
  wanted.kinds = st_wanted_list(call, ST_P_RECALL_SEARCH_KINDS);
  wanted.projects = st_wanted_list(call, ST_P_RECALL_SEARCH_PROJECTS);
  wanted.sessions = st_wanted_list(call, ST_P_RECALL_SEARCH_SESSIONS);
  wanted.roles = st_wanted_list(call, ST_P_RECALL_SEARCH_ROLES);
  if (st_has(call, ST_P_RECALL_SEARCH_SINCE)) wanted.since = st_arg_real(call, ST_P_RECALL_SEARCH_SINCE);
  if (st_has(call, ST_P_RECALL_SEARCH_UNTIL)) wanted.until = st_arg_real(call, ST_P_RECALL_SEARCH_UNTIL);
  return wanted;
}

static st_order order_of(const st_call *call) {
  const char *sort = st_arg_text(call, ST_P_RECALL_SEARCH_SORT);
  if (strcmp(sort, "newest") == 0) return ST_ORDER_NEWEST;
  return strcmp(sort, "oldest") == 0 ? ST_ORDER_OLDEST : ST_ORDER_RANK;
}

/* ---- One list ---- */

/* How many each store is asked for.  The order of what is found depends on all of it, so page after page asks for
** equally many; only far behind they become more. */
static int depth_of(int wanted) {
  int depth = DEPTH;
  while (depth < wanted) depth *= 2;
  return depth;
}

static int by_score(const void *a, const void *b) {
  const st_recalled *one = a, *other = b;
  if (one->score != other->score) return one->score > other->score ? -1 : 1;
  return one->words_rank - other->words_rank;
}

static void weigh_age(st_asked_stores *asked, st_recalled_list *list, double half_life) {
  double now = (double)st_time_now() / 1e6;
  if (half_life <= 0) return;
  st_recalled_read(asked, list->rows, list->count);
  for (int i = 0; i < list->count; i++) {
    double age = now - list->rows[i].time;
    list->rows[i].recency = age > 0 ? fmax(LEAST_RECENCY, exp2(-age / half_life)) : 1;
  }
}

static void rank(st_asked_stores *asked, st_recalled_list *list) {
  weigh_age(asked, list, st_arg_real(asked->call, ST_P_RECALL_SEARCH_HALF_LIFE));
  for (int i = 0; i < list->count; i++) {
    st_recalled *row = &list->rows[i];
    row->score = st_fuse(row->words_rank, 0) * row->recency;
  }
  qsort(list->rows, (size_t)list->count, sizeof *list->rows, by_score);
}

/* ---- The reply ---- */

static st_value parts_of(st_call *call, const st_recalled *row) {
  st_str out;
  st_str_init(&out, 1 << 12);
  st_str_addf(&out, "{\"words\":{\"rank\":%d,\"score\":", row->words_rank);
  st_json_add_real(&out, row->words_score);
  st_str_addz(&out, "},\"recency\":");
  st_json_add_real(&out, row->recency);
  st_str_addc(&out, '}');
  return st_take(call, &out);
}

static void tell(st_asked_stores *asked, const st_recalled *row, st_matcher *matcher, st_budget *budget) {
  st_call *call = asked->call;
  st_value *out = st_reply(call);
  if (!out) return;
  st_show(asked, row, matcher, budget, out);
  out[ST_R_RECALL_SEARCH_SCORE] = st_real(row->score);
  out[ST_R_RECALL_SEARCH_PARTS] = parts_of(call, row);
  out[ST_R_RECALL_SEARCH_WHY] = st_recall_words_why(call, matcher, &row->document);
  out[ST_R_RECALL_SEARCH_MARK] = st_shown_mark(asked, row);
}

static void tell_page(st_asked_stores *asked, const st_query *query, st_recalled *rows, int count) {
  st_call *call = asked->call;
  st_matcher *matcher = st_matcher_new(call->arena, query);
  st_budget budget = st_budget_of(call, ST_P_RECALL_SEARCH_TOKENS, count);
  int told = 0;
  if (!matcher) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_recalled_read(asked, rows, count);
  for (; told < count && st_ok(call) && !st_budget_is_spent(&budget); told++)
    if (rows[told].document.id.type > ST_NULL) tell(asked, &rows[told], matcher, &budget); /* else deleted a moment ago */
  if (st_ok(call) && told < count)
    st_note(call, "%d more would have gone beyond %lld tokens: ask for them with offset %lld", count - told,
            (long long)st_arg_int(call, ST_P_RECALL_SEARCH_TOKENS),
            (long long)st_arg_int(call, ST_P_RECALL_SEARCH_OFFSET) + told);
}

void st_recall_search(st_call *call) {
  int limit = (int)st_arg_int(call, ST_P_RECALL_SEARCH_LIMIT), offset = (int)st_arg_int(call, ST_P_RECALL_SEARCH_OFFSET);
  st_wanted wanted = wanted_of(call);
  st_asked_stores asked;
  st_recalled_list list;
  st_recall_words words = {.match = st_arg_text(call, ST_P_RECALL_SEARCH_MATCH), .order = order_of(call), .k = depth_of(offset + limit)};
  st_recall_words_read(call, &words, &call->args[ST_P_RECALL_SEARCH_QUERY]);
  st_asked_open(call, &wanted, &asked);
  if (st_ok(call) && st_wanted_list(call, ST_P_RECALL_SEARCH_SOURCES))
    st_origin_narrow(&asked, &call->args[ST_P_RECALL_SEARCH_SOURCES]);
  if (!st_ok(call) || limit == 0) return;
  st_recall_words_find(&asked, &words, &list);
  if (st_ok(call) && words.order == ST_ORDER_RANK) rank(&asked, &list);
  if (st_ok(call) && list.count > offset)
    tell_page(&asked, words.query, list.rows + offset, list.count - offset < limit ? list.count - offset : limit);
}
