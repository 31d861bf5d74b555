/* find_common.c - see find_common.h. */
#include "search/find_common.h"

#include <math.h>

#include "search/common_phrase.h"
#include "search/index_file.h"

typedef struct finding {
  st_index *index;
  const st_query *query;
  st_rank *rank;
  st_common terms[ST_QUERY_TERMS_MAX];
  st_stop *stops[ST_QUERY_TERMS_MAX]; /* where the spans begin in the postings of each */
  int opened;
  bool to_keep; /* the only term is a word that is to be kept */
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

/* ---- A single term ---- */

/* Nearly every row is too long for the best, which its length and how often it can have the term tell. */
typedef struct bound {
  double worst, slope;
} bound;
#define NO_BOUND ((bound){NAN, INFINITY})

static bool may_have(finding *f, const bound *of, int64_t id, uint32_t times) {
  return st_rank_may_have(f->rank, of->slope, times, st_rowinfos_length(f->rank->rows, id));
}

static void take(finding *f, bound *of, int64_t id, uint32_t times) {
  st_rank *rank = f->rank;
  st_rank_take(rank, id, &(double){times});
  if (rank->count < rank->k || rank->hits[0].score == of->worst) return;
  of->worst = rank->hits[0].score;
  of->slope = st_rank_slope(rank);
}

static void find_shortest(finding *f) {
  bound of = NO_BOUND;
  st_postings *p = &f->terms[0].postings;
  for (int64_t id = st_postings_seek(p, 0); id != ST_NO_ROW && f->rank->error == SQLITE_OK; st_postings_next(p), id = p->now.id)
    if (may_have(f, &of, id, p->now.times)) take(f, &of, id, p->now.times);
}

/* A phrase is looked for only where it could be often enough. */
static int rank_phrase(finding *f, st_common_phrase *phrase) {
  bound of = NO_BOUND;
  bool read = true;
  for (int64_t id = st_common_phrase_seek(phrase, 0); id != ST_NO_ROW && read && f->rank->error == SQLITE_OK; id = st_common_phrase_seek(phrase, id + 1)) {
    uint32_t times = 0;
    if (!may_have(f, &of, id, st_join_most(&phrase->join))) continue;
    read = st_join_times(&phrase->join, &times);
    if (times) take(f, &of, id, times);
  }
  for (size_t i = 0; i < phrase->rest.count; i++) take(f, &of, phrase->rest.all[i].id, phrase->rest.all[i].times);
  int code = read ? f->rank->error : SQLITE_NOMEM;
  return code == SQLITE_OK ? st_common_phrase_check(phrase) : code;
}

/* Not suited: another process has written the index since it was looked at. */
static int find_phrase(finding *f, st_arena *arena, bool *suited) {
  const st_term *term = &f->query->terms[0];
  st_common_phrase phrase;
  int code = st_index_script(f->index, "BEGIN");
  if (code != SQLITE_OK) return code;
  code = st_common_phrase_look(f->index, term, suited);
  if (code == SQLITE_OK && *suited) {
    code = st_common_phrase_open(f->index, arena, term, &phrase);
    f->rank->df[0] = phrase.rows; /* about: of a single term it does not change the order */
    st_rank_weigh(f->rank);
    if (code == SQLITE_OK) code = rank_phrase(f, &phrase);
    st_common_phrase_close(&phrase);
  }
  int ended = st_index_script(f->index, code == SQLITE_OK ? "COMMIT" : "ROLLBACK");
  return code == SQLITE_OK ? ended : code;
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

/* Some term is common, and of every such one the postings are kept; of a single one they are made.  By time a phrase alone is left to
** FTS5, which ends with the first ones that it finds. */
static int is_suited(finding *f, st_arena *arena, bool *suited) {
  bool common = false, missing = false;
  const st_query *query = f->query;
  int code = SQLITE_OK;
  for (int i = 0; i < query->term_count && code == SQLITE_OK; i++) {
    st_kept kept;
    code = st_common_look(f->index, arena, &query->terms[i], &kept);
    common = common || (kept != ST_NOT_COMMON && (query->terms[i].count == 1 || f->rank->order == ST_ORDER_RANK));
    missing = missing || kept == ST_NOT_KEPT;
  }
  f->to_keep = missing && query->term_count == 1;
  *suited = common && (!missing || f->to_keep);
  return code;
}

static int open_terms(finding *f, st_arena *arena) {
  int code = SQLITE_OK;
  for (int i = 0, n = 0; i < f->query->term_count && code == SQLITE_OK; i++) {
    code = st_common_open(f->index, arena, &f->query->terms[i], f->to_keep, &f->terms[i]);
    f->opened = i + 1;
    if (!f->query->terms[i].negative) f->rank->df[n++] = f->terms[i].rows;
  }
  st_rank_weigh(f->rank);
  return code;
}

/* Of a single word much had to be asked of FTS5: next time it need not be. */
static int keep_word(finding *f, st_arena *arena) {
  const st_term *term = &f->query->terms[0];
  st_common *word = &f->terms[0];
  int code = SQLITE_OK;
  if (f->query->term_count > 1 || word->loose.count < ST_COMMON_ROWS) return SQLITE_OK;
  if (!f->to_keep) { /* what is kept is long out of date */
    st_common_close(word);
    code = st_common_open(f->index, arena, term, true, word);
  }
  if (code == SQLITE_OK) st_common_keep(f->index, arena, term, word);
  return code;
}

static int find_terms(finding *f, st_arena *arena) {
  int code = open_terms(f, arena);
  if (code == SQLITE_OK) code = keep_word(f, arena);
  if (code == SQLITE_OK) code = find_rows(f, arena);
  for (int i = 0; i < f->opened; i++) st_common_close(&f->terms[i]);
  return code;
}

static int find(finding *f, bool *suited) {
  bool phrase = f->query->term_count == 1 && f->query->terms[0].count > 1;
  st_arena arena;
  st_arena_init(&arena, SIZE_MAX); /* as much as the index has of the terms */
  int code = phrase ? find_phrase(f, &arena, suited) : find_terms(f, &arena);
  st_arena_free(&arena);
  return code;
}

bool st_find_common(st_call *call, st_index *index, const st_query *query, st_rank *rank) {
  bool suited = false;
  finding *f = st_call_alloc(call, sizeof *f);
  if (!f) return true;
  *f = (finding){.index = index, .query = query, .rank = rank};
  int code = is_suited(f, call->arena, &suited);
  if (code == SQLITE_OK && suited) code = find(f, &suited);
  if (code != SQLITE_OK) st_index_fail(call, index, code);
  return suited || code != SQLITE_OK;
}
