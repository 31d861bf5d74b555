/* find_common.c - see find_common.h. */
#include "search/find_common.h"

#include <math.h>

#include "search/common.h"
#include "search/index_file.h"

typedef struct finding {
  st_index *index;
  const st_query *query;
  st_rank *rank;
  st_common terms[ST_QUERY_TERMS_MAX];
  st_stop *stops[ST_QUERY_TERMS_MAX]; /* where the spans begin in the postings of each */
  int opened;
} finding;

/* The first row from `from` on that a part of the query finds; ST_NO_ROW: there is none. */
static int64_t find_row(finding *f, const st_query_node *node, int64_t from) {
  if (node->kind == ST_QUERY_TERM) return st_postings_seek(&f->terms[node->term->number].postings, from);
  int64_t left = find_row(f, node->left, from);
  if (node->kind == ST_QUERY_OR) {
    int64_t right = find_row(f, node->right, from);
    return left < right ? left : right;
  }
  for (; left != ST_NO_ROW; left = find_row(f, node->left, from)) {
    int64_t right = find_row(f, node->right, left);
    if ((right == left) == (node->kind == ST_QUERY_AND)) return left;
    from = node->kind == ST_QUERY_AND ? right : left + 1;
  }
  return ST_NO_ROW;
}

/* How often a row has each term that counts. */
static void count_terms(finding *f, int64_t id, double *tf) {
  for (int i = 0, n = 0; i < f->query->term_count; i++) {
    if (f->query->terms[i].negative) continue;
    st_postings *p = &f->terms[i].postings;
    tf[n] = !f->rank->filters_only[n] && st_postings_seek(p, id) == id ? p->now.times : 0;
    n++;
  }
}

/* Those from..to, without the last. */
static void find_between(finding *f, int64_t from, int64_t to) {
  double tf[ST_QUERY_TERMS_MAX];
  for (int64_t id = find_row(f, f->query->root, from); id < to && f->rank->error == SQLITE_OK; id = find_row(f, f->query->root, id + 1)) {
    count_terms(f, id, tf);
    st_rank_take(f->rank, id, tf);
  }
}

/* Of a single term nearly every row is too long for the best, which its length and its posting tell. */
static void find_shortest(finding *f) {
  st_rank *rank = f->rank;
  st_postings *p = &f->terms[0].postings;
  double worst = NAN, slope = INFINITY;
  for (int64_t id = st_postings_seek(p, 0); id != ST_NO_ROW && rank->error == SQLITE_OK; st_postings_next(p), id = p->now.id) {
    if (!st_rank_may_have(rank, slope, p->now.times, st_rowinfos_length(rank->rows, id))) continue;
    st_rank_take(rank, id, &(double){p->now.times});
    if (rank->count < rank->k || rank->hits[0].score == worst) continue;
    worst = rank->hits[0].score;
    slope = st_rank_slope(rank);
  }
}

/* ---- By time ---- */

static int mark_spans(finding *f, st_arena *arena, size_t count) {
  for (int i = 0; i < f->opened; i++) {
    f->stops[i] = st_arena_alloc(arena, count * sizeof *f->stops[i]);
    if (!f->stops[i]) return SQLITE_NOMEM;
    st_postings_stops(&f->terms[i].postings, ST_SPAN, f->stops[i], count);
  }
  return SQLITE_OK;
}

static void find_in_span(finding *f, int64_t number) {
  const st_span *span = st_rowinfos_span(f->rank->rows, number);
  f->rank->error = f->rank->rows->error;
  if (!span || f->rank->error != SQLITE_OK || !st_rank_wants(f->rank, span)) return;
  for (int i = 0; i < f->opened; i++) st_postings_go(&f->terms[i].postings, &f->stops[i][number], number * ST_SPAN);
  find_between(f, number * ST_SPAN, (number + 1) * ST_SPAN);
}

/* Mostly later rows have later times: what is wanted first is looked at first, so that little else need be. */
static int find_by_time(finding *f, st_arena *arena) {
  int64_t count = st_rowinfos_end(f->rank->rows) / ST_SPAN + 1;
  int code = mark_spans(f, arena, (size_t)count);
  for (int64_t i = 0; i < count && code == SQLITE_OK && f->rank->error == SQLITE_OK; i++)
    find_in_span(f, f->rank->order == ST_ORDER_NEWEST ? count - 1 - i : i);
  return code;
}

static int find_rows(finding *f, st_arena *arena) {
  int code = SQLITE_OK;
  if (f->rank->order != ST_ORDER_RANK || f->rank->since > -INFINITY || f->rank->until < INFINITY) code = find_by_time(f, arena);
  else if (f->query->term_count == 1) find_shortest(f);
  else find_between(f, 0, ST_NO_ROW);
  for (int i = 0; i < f->opened; i++)
    if (f->terms[i].postings.broken) return SQLITE_CORRUPT;
  return code == SQLITE_OK ? f->rank->error : code;
}

/* Some term is common, and of every such one the postings are kept; of a single one they are made. */
static int is_suited(st_index *index, st_arena *arena, const st_query *query, bool *suited) {
  bool common = false, missing = false;
  int code = SQLITE_OK;
  for (int i = 0; i < query->term_count && code == SQLITE_OK; i++) {
    st_kept kept;
    code = st_common_look(index, arena, &query->terms[i], &kept);
    common = common || kept != ST_NOT_COMMON;
    missing = missing || kept == ST_NOT_KEPT;
  }
  *suited = common && (!missing || query->term_count == 1);
  return code;
}

static int open_terms(finding *f, st_arena *arena) {
  int code = SQLITE_OK;
  for (int i = 0, n = 0; i < f->query->term_count && code == SQLITE_OK; i++) {
    code = st_common_open(f->index, arena, &f->query->terms[i], &f->terms[i]);
    f->opened = i + 1;
    if (!f->query->terms[i].negative) f->rank->df[n++] = f->terms[i].rows;
  }
  st_rank_weigh(f->rank);
  return code;
}

static int find(finding *f, st_arena *arena) {
  int code = open_terms(f, arena);
  bool made = f->query->term_count == 1 && f->terms[0].loose.count >= ST_COMMON_ROWS;
  if (code == SQLITE_OK && made) st_common_keep(f->index, &f->query->terms[0], &f->terms[0]);
  if (code == SQLITE_OK) code = find_rows(f, arena);
  for (int i = 0; i < f->opened; i++) st_common_close(&f->terms[i]);
  return code;
}

bool st_find_common(st_call *call, st_index *index, const st_query *query, st_rank *rank) {
  bool suited = false;
  int code = is_suited(index, call->arena, query, &suited);
  finding *f = suited ? st_call_alloc(call, sizeof *f) : NULL;
  if (f) {
    st_arena arena;
    *f = (finding){.index = index, .query = query, .rank = rank};
    st_arena_init(&arena, UINT64_C(1) << 30);
    code = find(f, &arena);
    st_arena_free(&arena);
  }
  if (code != SQLITE_OK) st_index_fail(call, index, code);
  return suited || code != SQLITE_OK;
}
