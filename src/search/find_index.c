/* find_index.c - see find_index.h. */
#include "search/find_index.h"

#include "base/alloc.h"
#include "search/allowed.h"
#include "search/corpus.h"
#include "search/find_common.h"
#include "search/index_file.h"
#include "search/inside.h"
#include "search/quick.h"
#include "search/reading.h"
#include "search/tail.h"
#include "search/trigrams.h"
#include "search/uncommon.h"

/* What is read by itself (tail.h) is not also searched for: another process may have indexed it meanwhile. */
static int64_t end_of(const st_call *call, const st_index *index) {
  return st_corpus_of(call).reads_tail ? index->marks.upto + 1 : INT64_MAX;
}

/* Of the documents of that number and above. */
static void search_index(st_call *call, st_index *index, const st_query *query, int64_t from, st_rank *rank) {
  sqlite3_stmt *stmt = NULL;
  st_str match;
  st_str_init(&match, 1 << 20);
  st_query_fts5(query, &match);
  const char *sql = "SELECT 1 FROM stele_text WHERE stele_text MATCH ?1 AND rowid >= ?3 AND stele_rank(stele_text, ?2)";
  if (rank->order == ST_ORDER_NEWEST) /* mostly the last ones, and the others need not be looked at */
    sql = "SELECT 1 FROM stele_text WHERE stele_text MATCH ?1 AND rowid >= ?3 AND stele_rank(stele_text, ?2) ORDER BY rowid DESC";
  int code = match.failed ? SQLITE_NOMEM : sqlite3_prepare_v2(index->db, sql, -1, &stmt, NULL);
  if (code == SQLITE_OK && match.length > 0) {
    sqlite3_bind_text(stmt, 1, match.text, (int)match.length, SQLITE_STATIC);
    sqlite3_bind_pointer(stmt, 2, rank, ST_RANK_POINTER, NULL);
    sqlite3_bind_int64(stmt, 3, from);
    code = sqlite3_step(stmt) == SQLITE_DONE ? rank->error : sqlite3_extended_errcode(index->db);
  }
  sqlite3_finalize(stmt);
  st_str_free(&match);
  if (code != SQLITE_OK) st_index_fail(call, index, code);
}

/* Remember what had to be counted. */
static void keep_frequencies(st_index *index, const st_query *query, st_rank *rank, const double *known) {
  for (int i = 0, term = 0; i < query->term_count; i++) {
    if (query->terms[i].negative) continue;
    bool counted = rank->nterms > 1 && rank->order == ST_ORDER_RANK && known[term] < 0 && rank->df[term] >= 0;
    if (counted) st_frequency_put(&index->frequencies, index->db, &query->terms[i], rank->df[term], rank->total_rows);
    if (rank->df[term] < 0) rank->df[term] = 0; /* no indexed row had it */
    term++;
  }
  st_rank_weigh(rank);
}

/* What is looked for of a query: all of it, or less (quick.h, uncommon.h). */
typedef struct plan {
  const st_query *query;      /* whose terms count */
  const st_query *looked_for; /* in the index */
  st_quick quick;
  st_uncommon uncommon;
  int64_t from;
} plan;

static bool make_plan(st_call *call, st_index *index, const st_query *query, plan *p) {
  *p = (plan){.query = query, .looked_for = query};
  st_quick_words words = st_quick_index(index);
  if (query->quick && st_quick_plan(call, &words, query, &p->quick)) {
    p->query = p->looked_for = p->quick.query;
    p->from = p->quick.from;
  } else if (query->common_may_go && st_uncommon_plan(call, index, query, &p->uncommon)) {
    p->looked_for = p->uncommon.query;
    p->from = p->uncommon.from;
  }
  return st_ok(call);
}

static double rows_of(st_index *index, const plan *p, int term) {
  if (p->query->quick) return p->quick.rows[term];
  if (p->uncommon.query && p->uncommon.place[term] < 0) return p->uncommon.rows[term];
  return st_frequency_get(&index->frequencies, index->db, &p->query->terms[term], index->total_rows);
}

static void find_words(st_call *call, st_index *index, const st_query *query, const st_filter *filter, st_order order,
                       int k, st_found *found) {
  double known[64];
  plan p;
  const st_allowed *allowed = st_allowed_new(call, index, filter);
  if (!make_plan(call, index, query, &p)) return;
  query = p.query;
  st_rank rank = {.order = order, .rows = &index->rows, .allows = st_filter_is_open(filter) ? NULL : st_allowed_row, .filter = allowed,
                  .end = end_of(call, index), .since = filter->since, .until = filter->until, .total_rows = index->total_rows, .total_tokens = index->total_tokens, .k = k};
  rank.hits = st_call_alloc(call, ((size_t)k + 1) * sizeof *rank.hits);
  for (int i = 0; i < query->term_count; i++) {
    if (query->terms[i].negative) continue;
    rank.phrase[rank.nterms] = p.uncommon.query ? p.uncommon.place[i] : query->terms[i].number;
    known[rank.nterms] = rank.df[rank.nterms] = rows_of(index, &p, i);
    rank.nterms++;
  }
  if (!st_ok(call)) return;
  bool whole = p.looked_for == query && p.from == 0;
  if (!whole || !st_find_common(call, index, query, &rank)) search_index(call, index, p.looked_for, p.from, &rank);
  keep_frequencies(index, query, &rank, known);
  if (st_ok(call) && st_corpus_of(call).reads_tail) st_tail_match(call, index, query, filter, &rank);
  st_rank_finish(&rank);
  *found = (st_found){rank.hits, rank.count, rank.matches};
  if (p.from > 0)
    st_note(call, "very many messages have these words: only the newest %lld were looked at", (long long)(index->marks.upto - p.from));
}

/* ---- Inside of words ---- */

static void find_inside(st_call *call, st_index *index, const st_query *query, const st_filter *filter, st_order order,
                        int k, st_found *found) {
  st_reading r;
  const st_allowed *allowed = st_allowed_new(call, index, filter);
  st_reading_begin(&r, call, query, order);
  r.total_rows = index->total_rows;
  r.average = index->total_rows > 0 ? index->total_tokens / index->total_rows : 0;
  st_trigrams candidates = st_trigrams_find(call, &r.arena, index, query);
  st_trigrams_source source;
  st_trigrams_open(&source, &r, index, allowed, end_of(call, index), &candidates);
  st_tail_add(call, index, filter, &r);
  st_reading_sort_source(&r, ST_INSIDE_BLOCK, &source.source);
  if (st_ok(call)) st_reading_match(&r, (size_t)k);
  if (st_ok(call)) st_reading_rank(&r, k, found);
  st_trigrams_close(&source);
  st_reading_end(&r);
}

/* ---- All together ---- */

st_index *st_index_ready(st_call *call) {
  st_index *index = st_index_of(call);
  st_corpus corpus = st_corpus_of(call);
  int64_t indexed, changes = 0, few = corpus.reads_tail ? ST_TAIL_MAX : 0;
  if (!index) return NULL;
  if (corpus.backlog(call, &index->marks, &changes) > few || changes > 0) {
    st_index_catch_up(call, index, 0, &indexed);
    st_index_merge(call, index, indexed > 20 * ST_TAIL_MAX ? ST_MERGE_ALL : 1);
  }
  return st_ok(call) ? index : NULL;
}

static void find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k, st_found *found) {
  *found = (st_found){0};
  st_index *index = query->root->kind == ST_QUERY_EMPTY ? NULL : st_index_ready(call);
  if (!index) return;
  if (query->inside) find_inside(call, index, query, filter, order, k, found);
  else find_words(call, index, query, filter, order, k, found);
}

static void list_span(st_rank *rank, int64_t number) {
  int64_t behind = (number + 1) * ST_SPAN, end = rank->end < behind ? rank->end : behind;
  const st_span *span = st_rowinfos_span(rank->rows, number);
  if (!span || !st_rank_wants(rank, span)) return;
  for (int64_t id = number * ST_SPAN; id < end; id++) {
    if (!rank->allows(rank->filter, rank->rows, id)) continue;
    rank->matches++;
    st_rank_offer(rank, (st_hit){.id = id, .time = st_rowinfos_time(rank->rows, id)});
  }
}

static void list(st_call *call, const st_filter *filter, st_order order, int k, st_found *found) {
  *found = (st_found){0};
  st_index *index = st_index_ready(call);
  const st_allowed *allowed = index ? st_allowed_new(call, index, filter) : NULL;
  st_rank rank = {.order = order, .allows = st_allowed_row, .filter = allowed, .since = filter->since, .until = filter->until,
                  .k = k, .hits = st_call_alloc(call, ((size_t)k + 1) * sizeof *rank.hits)};
  if (!allowed || !st_ok(call)) return;
  rank.rows = &index->rows;
  rank.end = end_of(call, index);
  for (int64_t i = 0, spans = st_rowinfos_end(rank.rows) / ST_SPAN + 1; i < spans && rank.rows->error == SQLITE_OK; i++)
    list_span(&rank, order == ST_ORDER_NEWEST ? spans - 1 - i : i);
  if (rank.rows->error != SQLITE_OK) st_index_fail(call, index, rank.rows->error);
  if (st_ok(call) && st_corpus_of(call).reads_tail) st_tail_offer(call, index, filter, &rank);
  if (!st_ok(call)) return;
  st_rank_finish(&rank);
  *found = (st_found){rank.hits, rank.count, rank.matches};
}

void st_index_find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k, st_found *found) {
  find(call, query, filter, order, k, found);
  if (st_index_recover(call)) find(call, query, filter, order, k, found);
}

void st_index_list(st_call *call, const st_filter *filter, st_order order, int k, st_found *found) {
  list(call, filter, order, k, found);
  if (st_index_recover(call)) list(call, filter, order, k, found);
}
