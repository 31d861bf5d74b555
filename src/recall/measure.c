/* measure.c - see measure.h. */
#include "recall/measure.h"

#include "recall/shown.h"
#include "search/rank.h"

/* How often the terms stand in a row, and how long it is. */
typedef struct counted {
  double times[ST_QUERY_TERMS_MAX];
  double length;
} counted;

static void count(st_call *call, st_matcher *matcher, const st_document *document, counted *out) {
  const st_query *query = st_matcher_query(matcher);
  st_column columns[ST_SHOWN_COLUMNS];
  if (document->id.type <= ST_NULL) return;
  st_shown_columns(call, document, columns);
  st_match(matcher, columns, ST_SHOWN_COLUMNS);
  out->length = (double)st_match_tokens(matcher);
  for (int i = 0, term = 0; i < query->term_count; i++)
    if (!query->terms[i].negative) out->times[term++] = st_match_times(matcher, &query->terms[i]);
}

/* Among rows that were found each term is common: how rare it is tells which of several say more. */
static void weigh(st_rank *rank, const counted *rows, int count) {
  for (int i = 0; i < count; i++) {
    rank->total_tokens += rows[i].length;
    for (int t = 0; t < rank->nterms; t++) rank->df[t] += rows[i].times[t] > 0;
  }
  rank->total_rows = count;
  st_rank_norm(rank);
  for (int t = 0; t < rank->nterms; t++) rank->weight[t] = 1 + (count - rank->df[t]) / count;
}

void st_measure(st_asked_stores *asked, const st_query *query, st_recalled_list *list) {
  st_call *call = asked->call;
  st_matcher *matcher = st_matcher_new(call->arena, query);
  counted *rows = st_call_alloc(call, ((size_t)list->count + 1) * sizeof *rows);
  st_rank rank = {.order = ST_ORDER_RANK};
  if (!matcher) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (!st_ok(call)) return;
  for (int i = 0; i < query->term_count; i++) rank.nterms += !query->terms[i].negative;
  st_recalled_read(asked, list->rows, list->count);
  for (int i = 0; i < list->count && st_ok(call); i++) {
    rows[i] = (counted){.length = 0};
    count(call, matcher, &list->rows[i].document, &rows[i]);
  }
  if (!st_ok(call)) return;
  weigh(&rank, rows, list->count);
  for (int i = 0; i < list->count; i++) list->rows[i].words_score = st_rank_score(&rank, rows[i].times, rows[i].length);
}
