/* rank.c - see rank.h.  The formula and its constants are those of FTS5's own bm25(). */
#include "search/rank.h"

#include <math.h>
#include <stdlib.h>

#include "search/fts5_api.h"

#define K1 1.2
#define B 0.75

#define WEIGHT_LEAST 1e-6 /* of a word in more than half the rows: it says nothing */

void st_rank_norm(st_rank *rank) {
  double average = rank->total_tokens > 0 ? rank->total_tokens / rank->total_rows : 1;
  rank->norm = K1 * (1 - B);
  rank->norm_of_token = K1 * B / average;
}

/* Such a term adds next to nothing to a score: where another one decides, it need not be counted in every
** row. */
void st_rank_weigh(st_rank *rank) {
  bool decided = false;
  st_rank_norm(rank);
  for (int i = 0; i < rank->nterms; i++) {
    double idf = log((rank->total_rows - rank->df[i] + 0.5) / (rank->df[i] + 0.5));
    rank->weight[i] = idf > 0 ? idf : WEIGHT_LEAST;
    decided = decided || rank->weight[i] > WEIGHT_LEAST;
  }
  for (int i = 0; i < rank->nterms; i++) rank->filters_only[i] = decided && rank->weight[i] <= WEIGHT_LEAST;
}

double st_rank_score(const st_rank *rank, const double *tf, double length) {
  double norm = rank->norm + rank->norm_of_token * length;
  double score = 0;
  for (int i = 0; i < rank->nterms; i++)
    if (tf[i] > 0) score += rank->weight[i] * (tf[i] * (K1 + 1)) / (tf[i] + norm);
  return score;
}

double st_rank_part(const st_rank *rank, int term, double times, double length) {
  return rank->weight[term] * (times * (K1 + 1)) / (times + rank->norm + rank->norm_of_token * length);
}

/* Is a a better hit than b?  Equal scores go to the earlier row, as FTS5 has it. */
static bool better(const st_rank *rank, const st_hit *a, const st_hit *b) {
  if (rank->order != ST_ORDER_RANK && a->time != b->time)
    return rank->order == ST_ORDER_NEWEST ? a->time > b->time : a->time < b->time;
  if (a->grade != b->grade) return a->grade > b->grade;
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

/* With one term its frequency among the rows does not change the order, and is not worth counting. */
static int count_terms(const Fts5ExtensionApi *api, Fts5Context *context, st_rank *rank) {
  int code = SQLITE_OK;
  for (int i = 0; i < rank->nterms && code == SQLITE_OK; i++) {
    if (rank->df[i] >= 0) continue;
    rank->df[i] = 0;
    if (rank->nterms > 1 && rank->order == ST_ORDER_RANK)
      code = api->xQueryPhrase(context, rank->phrase[i], &rank->df[i], count_row);
  }
  st_rank_weigh(rank);
  return code;
}

/* The places of a term in a row.  FTS5 keeps each in one byte or more, so that the bytes that are left
** tell how many there can be at most, without reading them. */
typedef struct places {
  Fts5PhraseIter iter;
  int column, offset;
} places;

static double most_places(const places *p) { return p->column < 0 ? 0 : 1 + (double)(p->iter.b - p->iter.a); }

static double count_places(const Fts5ExtensionApi *api, Fts5Context *context, places *p) {
  double count = 0;
  for (; p->column >= 0; count++) api->xPhraseNext(context, &p->iter, &p->column, &p->offset);
  return count;
}

static bool has_room_for(const st_rank *rank, const st_hit *hit) {
  return rank->count < rank->k || (rank->k > 0 && better(rank, hit, &rank->hits[0]));
}

static bool counts(const st_rank *rank, int term) { return !rank->filters_only[term] && rank->phrase[term] >= 0; }

/* Score a row and offer it.  Of a common word nearly all rows end after the first half: they could not be
** among the best if every byte were a place. */
static int score_row(const Fts5ExtensionApi *api, Fts5Context *context, st_rank *rank, st_hit hit, double length) {
  places found[64];
  double tf[64] = {0};
  for (int i = 0; i < rank->nterms; i++) {
    if (!counts(rank, i)) continue;
    int code = api->xPhraseFirst(context, rank->phrase[i], &found[i].iter, &found[i].column, &found[i].offset);
    if (code != SQLITE_OK) return code;
    tf[i] = most_places(&found[i]);
  }
  hit.score = st_rank_score(rank, tf, length);
  if (!has_room_for(rank, &hit)) return SQLITE_OK;
  for (int i = 0; i < rank->nterms; i++)
    if (counts(rank, i)) tf[i] = count_places(api, context, &found[i]);
  hit.score = st_rank_score(rank, tf, length);
  st_rank_offer(rank, hit);
  return SQLITE_OK;
}

bool st_rank_wants(const st_rank *rank, const st_span *span) {
  if (span->last < rank->since || span->first >= rank->until || rank->k == 0) return false;
  if (rank->order == ST_ORDER_RANK || rank->count < rank->k) return true;
  return rank->order == ST_ORDER_NEWEST ? span->last >= rank->hits[0].time : span->first <= rank->hits[0].time;
}

/* Could a row of that number be among the newest, or oldest?  As far as its span tells. */
static bool is_in_time(st_rank *rank, int64_t id) {
  if (rank->order == ST_ORDER_RANK || rank->count < rank->k) return true;
  const st_span *span = st_rowinfos_span(rank->rows, id / ST_SPAN);
  return span && st_rank_wants(rank, span);
}

static bool is_before_end(const st_rank *rank, int64_t id) { return rank->end == 0 || id < rank->end; }

/* Is the row there, allowed, and not too late?  Its length is all that ranking needs; the rest is read only to be filtered or
** ordered by. */
static bool judge(st_rank *rank, st_hit *hit, uint32_t *length) {
  *length = st_rowinfos_length(rank->rows, hit->id);
  bool wanted = *length > 0 && is_before_end(rank, hit->id) && is_in_time(rank, hit->id) && (!rank->allows || rank->allows(rank->filter, rank->rows, hit->id));
  hit->time = wanted && rank->order != ST_ORDER_RANK ? st_rowinfos_time(rank->rows, hit->id) : 0;
  rank->error = rank->rows->error;
  return wanted && rank->error == SQLITE_OK;
}

void st_rank_take(st_rank *rank, int64_t id, const double *tf) {
  st_hit hit = {.id = id};
  uint32_t length;
  if (!judge(rank, &hit, &length)) return;
  rank->matches++;
  if (rank->order == ST_ORDER_RANK) hit.score = st_rank_score(rank, tf, length);
  st_rank_offer(rank, hit);
}

#define ROUNDING 1e-9 /* what it may take is given back */

double st_rank_slope(const st_rank *rank) {
  if (rank->count < rank->k || rank->k == 0 || !(rank->hits[0].score > 0)) return INFINITY;
  return (rank->weight[0] * (K1 + 1) / rank->hits[0].score - 1) * (1 + ROUNDING) + ROUNDING;
}

/* Called by FTS5 for every matching row; answers 0, so that the statement yields none. */
static void take_row(const Fts5ExtensionApi *api, Fts5Context *context, sqlite3_context *result, int count,
                     sqlite3_value **values) {
  st_rank *rank = count == 1 ? sqlite3_value_pointer(values[0], ST_RANK_POINTER) : NULL;
  sqlite3_result_int(result, 0);
  if (!rank || rank->error != SQLITE_OK) return;
  st_hit hit = {.id = api->xRowid(context)};
  uint32_t length;
  if (!judge(rank, &hit, &length)) return;
  rank->matches++;
  if (rank->order != ST_ORDER_RANK) {
    st_rank_offer(rank, hit);
    return;
  }
  if (rank->matches == 1) rank->error = count_terms(api, context, rank);
  if (rank->error == SQLITE_OK) rank->error = score_row(api, context, rank, hit, length);
}

int st_rank_register(sqlite3 *db) {
  fts5_api *api;
  int code = st_fts5_api(db, &api);
  return code == SQLITE_OK ? api->xCreateFunction(api, "stele_rank", NULL, take_row, NULL) : code;
}
