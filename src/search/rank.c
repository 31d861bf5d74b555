/* rank.c - see rank.h.  The formula and its constants are those of FTS5's own bm25(). */
#include "search/rank.h"

#include <math.h>
#include <stdlib.h>

#include "search/fts5_api.h"

#define K1 1.2
#define B 0.75

static double idf(const st_rank *rank, int term) {
  double value = log((rank->total_rows - rank->df[term] + 0.5) / (rank->df[term] + 0.5));
  return value > 0 ? value : 1e-6; /* a word in more than half the rows says nothing */
}

double st_rank_score(const st_rank *rank, const double *tf, double length) {
  double average = rank->total_tokens > 0 ? rank->total_tokens / rank->total_rows : 1;
  double norm = K1 * (1 - B + B * length / average);
  double score = 0;
  for (int i = 0; i < rank->nterms; i++)
    if (tf[i] > 0) score += idf(rank, i) * (tf[i] * (K1 + 1)) / (tf[i] + norm);
  return score;
}

/* Is a a better hit than b?  Equal scores go to the earlier row, as FTS5 has it. */
static bool better(const st_rank *rank, const st_hit *a, const st_hit *b) {
  if (rank->order != ST_ORDER_RANK && a->time != b->time)
    return rank->order == ST_ORDER_NEWEST ? a->time > b->time : a->time < b->time;
  if (a->score != b->score) return a->score > b->score;
  return a->id < b->id;
}

static void sift_down(st_rank *rank, int at) {
  for (;;) {
    int worst = at, left = 2 * at + 1, right = left + 1;
    if (left < rank->count && better(rank, &rank->hits[worst], &rank->hits[left])) worst = left;
    if (right < rank->count && better(rank, &rank->hits[worst], &rank->hits[right])) worst = right;
    if (worst == at) return;
    st_hit other = rank->hits[at];
    rank->hits[at] = rank->hits[worst];
    rank->hits[worst] = other;
    at = worst;
  }
}

static void sift_up(st_rank *rank, int at) {
  while (at > 0) {
    int parent = (at - 1) / 2;
    if (!better(rank, &rank->hits[parent], &rank->hits[at])) return;
    st_hit other = rank->hits[at];
    rank->hits[at] = rank->hits[parent];
    rank->hits[parent] = other;
    at = parent;
  }
}

void st_rank_offer(st_rank *rank, st_hit hit) {
  if (rank->count < rank->k) {
    rank->hits[rank->count++] = hit;
    sift_up(rank, rank->count - 1);
  } else if (rank->k > 0 && better(rank, &hit, &rank->hits[0])) {
    rank->hits[0] = hit;
    sift_down(rank, 0);
  }
}

void st_rank_finish(st_rank *rank) {
  int count = rank->count;
  while (rank->count > 1) { /* the worst goes to the end, again and again */
    st_hit worst = rank->hits[0];
    rank->hits[0] = rank->hits[--rank->count];
    rank->hits[rank->count] = worst;
    sift_down(rank, 0);
  }
  rank->count = count;
}

static int count_row(const Fts5ExtensionApi *api, Fts5Context *context, void *count) {
  (void)api;
  (void)context;
  ++*(double *)count;
  return SQLITE_OK;
}

/* A term in more than half the rows adds next to nothing to a score: where another one decides, it need
** not be counted in every row. */
static void set_filters(st_rank *rank) {
  bool decided = false;
  for (int i = 0; i < rank->nterms; i++) decided = decided || idf(rank, i) > 1e-6;
  for (int i = 0; i < rank->nterms; i++) rank->filters_only[i] = decided && idf(rank, i) <= 1e-6;
}

/* With one term its frequency among the rows does not change the order, and is not worth counting. */
static int count_terms(const Fts5ExtensionApi *api, Fts5Context *context, st_rank *rank) {
  int code = SQLITE_OK;
  for (int i = 0; i < rank->nterms && code == SQLITE_OK; i++) {
    if (rank->df[i] >= 0) continue;
    rank->df[i] = 0;
    if (rank->nterms > 1 && rank->order == ST_ORDER_RANK)
      code = api->xQueryPhrase(context, rank->phrase[i], &rank->df[i], count_row);
  }
  set_filters(rank);
  return code;
}

static int count_instances(const Fts5ExtensionApi *api, Fts5Context *context, int phrase, double *count) {
  Fts5PhraseIter iter;
  int column = 0, offset = 0, found = 0;
  int code = api->xPhraseFirst(context, phrase, &iter, &column, &offset);
  while (code == SQLITE_OK && column >= 0) {
    found++;
    api->xPhraseNext(context, &iter, &column, &offset);
  }
  *count = found;
  return code;
}

/* Called by FTS5 for every matching row; answers 0, so that the statement yields none. */
static void take_row(const Fts5ExtensionApi *api, Fts5Context *context, sqlite3_context *result, int count,
                     sqlite3_value **values) {
  st_rank *rank = count == 1 ? sqlite3_value_pointer(values[0], ST_RANK_POINTER) : NULL;
  double tf[64];
  sqlite3_result_int(result, 0);
  if (!rank || rank->error != SQLITE_OK) return;
  int64_t id = api->xRowid(context);
  const st_rowinfo *row = st_rowinfos_get(rank->rows, id);
  if (!row || (rank->allows && !rank->allows(rank->filter, id, row))) return;
  rank->matches++;
  st_hit hit = {id, 0, row->time};
  if (rank->order == ST_ORDER_RANK) {
    if (rank->matches == 1) rank->error = count_terms(api, context, rank);
    for (int i = 0; i < rank->nterms && rank->error == SQLITE_OK; i++) {
      tf[i] = 0;
      if (!rank->filters_only[i]) rank->error = count_instances(api, context, rank->phrase[i], &tf[i]);
    }
    if (rank->error == SQLITE_OK) hit.score = st_rank_score(rank, tf, row->length);
  }
  st_rank_offer(rank, hit);
}

int st_rank_register(sqlite3 *db) {
  fts5_api *api;
  int code = st_fts5_api(db, &api);
  return code == SQLITE_OK ? api->xCreateFunction(api, "stele_rank", NULL, take_row, NULL) : code;
}
