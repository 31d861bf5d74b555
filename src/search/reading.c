/* reading.c - see reading.h. */
#include "search/reading.h"

#include <stdlib.h>
#include <string.h>

#include "registry_ids.h"
#include "search/inside.h"
#include "search/match_plain.h"
#include "search/text.h"

#define ARENA_MAX (UINT64_C(2) << 30)
#define CHUNK 256 /* rows read at once */
#define HEAPED (8 * CHUNK)

static const st_texts MESSAGES = {
    STELE_M_CONVERSATION_FIND_TEXTS,
    ST_R_CONVERSATION_FIND_TEXTS_ID,
    ST_R_CONVERSATION_FIND_TEXTS_TIMESTAMP,
    3,
    {{ST_R_CONVERSATION_FIND_TEXTS_CONTENT, false},
     {ST_R_CONVERSATION_FIND_TEXTS_TOOL_NAME, false},
     {ST_R_CONVERSATION_FIND_TEXTS_TOOL_CALLS, true}},
};

/* A row that matches. */
struct st_matching {
  st_candidate row;
  uint32_t tokens;
  uint16_t times[]; /* of each positive term */
};

void st_reading_begin(st_reading *r, st_call *call, const st_query *query, st_order order) {
  *r = (st_reading){.call = call, .query = query, .order = order, .texts = &MESSAGES};
  r->enough = order == ST_ORDER_RANK ? SIZE_MAX : 0;
  r->matcher = st_matcher_new(call->arena, query);
  for (int i = 0; i < query->term_count; i++) r->nterms += !query->terms[i].negative;
  r->plain = st_plain_suits(query);
  if (!r->matcher) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_arena_init(&r->arena, ARENA_MAX);
  st_arena_init(&r->scratch, ARENA_MAX);
}

void st_reading_end(st_reading *r) {
  st_arena_free(&r->arena);
  st_arena_free(&r->scratch);
}

/* ---- candidates ---- */

/* Of very many candidates few are read.  So they are not sorted: each is a heap's first when its turn comes. */
static void rise(st_candidate *heap, size_t at, st_reading_order *before) {
  st_candidate rising = heap[at];
  for (size_t parent; at > 0 && before(&rising, &heap[parent = (at - 1) / 2]) < 0; at = parent) heap[at] = heap[parent];
  heap[at] = rising;
}

void st_reading_add(st_reading *r, int64_t id, double time) {
  size_t waiting = r->count - r->taken;
  if (waiting == r->room) {
    size_t room = 2 * r->room + CHUNK;
    st_candidate *grown = st_arena_alloc(&r->arena, room * sizeof *grown);
    if (!grown) {
      st_fail(r->call, STELE_NOMEM, NULL, "out of memory");
      return;
    }
    if (waiting) memcpy(grown, r->rows, waiting * sizeof *grown);
    r->rows = grown;
    r->room = room;
  }
  r->rows[waiting] = (st_candidate){.id = id, .time = time};
  if (r->source) rise(r->rows, waiting, r->before);
  r->count++;
}

int st_reading_by_id(const void *a, const void *b) {
  const st_candidate *one = a, *other = b;
  return (one->id > other->id) - (one->id < other->id);
}

static int by_time(const void *a, const void *b) {
  const st_candidate *one = a, *other = b;
  return one->time != other->time ? (one->time > other->time) - (one->time < other->time) : st_reading_by_id(a, b);
}

static int by_time_down(const void *a, const void *b) {
  const st_candidate *one = a, *other = b;
  return one->time != other->time ? (one->time < other->time) - (one->time > other->time) : st_reading_by_id(a, b);
}

static void sink(st_candidate *heap, size_t count, size_t at, st_reading_order *before) {
  st_candidate sinking = heap[at];
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && before(&heap[child + 1], &heap[child]) < 0) child++;
    if (before(&sinking, &heap[child]) < 0) break;
    heap[at] = heap[child];
  }
  heap[at] = sinking;
}

static void put_in_order(st_reading *r, st_reading_order *before) {
  r->before = before;
  for (size_t at = r->count / 2; at-- > 0;) sink(r->rows, r->count, at, before);
}

/* So many were read that the rest is better sorted. */
static void sort_rest(st_reading *r, size_t at) {
  qsort(r->rows, r->count - at, sizeof *r->rows, r->before);
  memmove(&r->rows[at], r->rows, (r->count - at) * sizeof *r->rows);
  r->before = NULL;
}

static st_candidate take_first(st_reading *r) {
  st_candidate first = r->rows[0];
  size_t waiting = r->count - ++r->taken;
  r->rows[0] = r->rows[waiting];
  sink(r->rows, waiting, 0, r->before);
  return first;
}

/* Is the first one there before all that the source has still? */
static bool is_first(const st_reading *r) {
  if (r->count == r->taken) return false;
  if (!r->source || r->source->ended) return true;
  return r->order == ST_ORDER_OLDEST ? r->rows[0].time < r->source->beyond : r->rows[0].time > r->source->beyond;
}

/* So many are read at once, of one block at most. */
static size_t chunk_at(const st_reading *r, size_t at) {
  size_t left = r->block ? r->block - at % r->block : CHUNK;
  return left < CHUNK ? left : CHUNK;
}

/* The candidates whose turn comes now, of those from `at` on; how many. */
static size_t next_chunk(st_reading *r, size_t at, st_candidate *room, const st_candidate **chunk) {
  size_t count = 0, most = chunk_at(r, at), left = r->count - at < most ? r->count - at : most;
  *chunk = room;
  if (!r->source && r->before && at >= HEAPED) sort_rest(r, at);
  if (!r->before) {
    *chunk = &r->rows[at];
    return left;
  }
  while (count < most && st_ok(r->call)) {
    while (r->source && !r->source->ended && !is_first(r) && st_ok(r->call)) r->source->more(r->source);
    if (!is_first(r)) break;
    room[count++] = take_first(r);
  }
  return count;
}

void st_reading_sort(st_reading *r) {
  r->before = NULL;
  if (r->order != ST_ORDER_RANK) put_in_order(r, r->order == ST_ORDER_NEWEST ? by_time_down : by_time);
}

static void sort_in_blocks(st_reading *r, size_t block) {
  put_in_order(r, by_time_down);
  r->enough = r->block = block;
}

void st_reading_sort_most(st_reading *r, size_t block) {
  st_reading_sort(r);
  if (r->order == ST_ORDER_RANK && r->count > block) sort_in_blocks(r, block);
}

void st_reading_sort_source(st_reading *r, size_t block, st_source *source) {
  st_reading_sort(r);
  if (r->order == ST_ORDER_RANK) sort_in_blocks(r, block);
  r->source = source;
}

/* ---- matching ---- */

static st_value list_of(const st_value *items, size_t count) {
  return (st_value){.type = ST_LIST, .items = items, .count = (uint32_t)count, .width = 1};
}

static st_column column_of(st_reading *r, st_rows *rows, size_t result, bool json) {
  st_column column = {NULL, 0};
  st_value value;
  st_rows_value(r->call, rows, result, &value);
  if (value.type != ST_TEXT) return column;
  column.text = json ? st_json_text(&r->scratch, value.bytes, value.length, &column.length)
                     : st_content_text(&r->scratch, value.bytes, value.length, &column.length);
  if (!column.text) st_fail(r->call, STELE_NOMEM, NULL, "out of memory");
  return column;
}

static st_matching **room_for_matching(st_reading *r) {
  if (r->nfound == r->found_room) {
    size_t room = 2 * r->found_room + CHUNK;
    st_matching **grown = st_arena_alloc(&r->arena, room * sizeof *grown);
    if (!grown) return NULL;
    if (r->nfound) memcpy(grown, r->found, r->nfound * sizeof *grown);
    r->found = grown;
    r->found_room = room;
  }
  return &r->found[r->nfound];
}

/* Keep what ranking must know of the row that was matched last. */
static void keep_matching(st_reading *r, st_candidate row) {
  st_matching **to = room_for_matching(r);
  st_matching *m = to ? st_arena_alloc(&r->arena, sizeof *m + (size_t)r->nterms * sizeof m->times[0]) : NULL;
  if (!m) {
    st_fail(r->call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  m->row = row;
  m->tokens = (uint32_t)st_match_tokens(r->matcher);
  for (int i = 0, t = 0; i < r->query->term_count; i++) {
    if (r->query->terms[i].negative) continue;
    int times = st_match_times(r->matcher, &r->query->terms[i]);
    m->times[t++] = (uint16_t)(times < UINT16_MAX ? times : UINT16_MAX);
  }
  *to = m;
  r->nfound++;
}

static void take_row(st_reading *r, st_rows *rows) {
  const st_texts *texts = r->texts;
  st_value id, time = {.type = ST_NULL};
  st_rows_value(r->call, rows, texts->id, &id);
  if (texts->time != ST_TEXTS_NO_TIME) st_rows_value(r->call, rows, texts->time, &time);
  st_column columns[3] = {{NULL, 0}};
  int ncolumns = r->query->inside ? 1 : texts->ncolumns;
  for (int i = 0; i < ncolumns; i++) columns[i] = column_of(r, rows, texts->columns[i].result, texts->columns[i].json);
  if (!st_ok(r->call)) return;
  if (r->query->inside && !r->plain && !st_inside_may_match(&r->scratch, r->query, columns[0].text, columns[0].length)) return;
  if (!st_match(r->matcher, columns, ncolumns)) return;
  keep_matching(r, (st_candidate){.id = id.integer, .time = time.type == ST_REAL ? time.real : 0, .grade = r->grade});
}

static void match_chunk(st_reading *r, const st_candidate *chunk, size_t count) {
  st_value items[CHUNK] = {{ST_ABSENT, {0}}}, absent = {.type = ST_ABSENT}, args[] = {list_of(items, count), r->roles ? *r->roles : absent};
  st_rows rows;
  for (size_t i = 0; i < count; i++) items[i] = st_int(chunk[i].id);
  st_rows_start(r->call, &rows, r->texts->method, args);
  while (st_rows_next(r->call, &rows)) {
    take_row(r, &rows);
    st_arena_reset(&r->scratch);
  }
  st_rows_end(r->call, &rows);
}

/* Is the last row read that must be?  A block is read to its end: its rows are ranked among each other. */
static bool has_read(const st_reading *r, size_t at, size_t k) {
  return at >= r->enough && r->nfound >= k && (!r->block || at % r->block == 0);
}

void st_reading_match(st_reading *r, size_t k) {
  st_candidate room[CHUNK];
  const st_candidate *chunk;
  r->nfound = r->weighed = 0;
  for (size_t at = 0, count; st_ok(r->call) && !has_read(r, at, k); at += count) {
    count = next_chunk(r, at, room, &chunk);
    if (count == 0) return;
    r->grade = r->block ? -(int)(at / r->block) : 0;
    match_chunk(r, chunk, count);
    if (r->grade == 0) r->weighed = r->nfound;
  }
}

bool st_reading_take(st_reading *r, st_candidate row, const st_column *columns, int ncolumns) {
  bool matches = st_match(r->matcher, columns, ncolumns);
  for (int i = 0; i < r->query->term_count; i++)
    r->frequency[r->query->terms[i].number] += st_match_times(r->matcher, &r->query->terms[i]) > 0;
  r->total_rows++;
  r->tokens += (double)st_match_tokens(r->matcher);
  r->average = r->tokens / r->total_rows;
  if (matches) keep_matching(r, row);
  return matches && st_ok(r->call);
}

void st_reading_grade(st_reading *r, int grade) {
  if (!st_ok(r->call)) return;
  r->found[r->nfound - 1]->row.grade = grade;
  if (grade < 0) r->nfound--;
}

/* ---- ranking ---- */

/* Of blocks the first one tells: a word weighs the same on all pages. */
static void set_frequencies(const st_reading *r, st_rank *rank) {
  size_t weighed = r->block ? r->weighed : r->nfound;
  for (int i = 0; i < r->query->term_count; i++) {
    if (r->query->terms[i].negative) continue;
    double having = 0, told = r->frequency[r->query->terms[i].number];
    for (size_t n = 0; n < weighed; n++) having += r->found[n]->times[rank->nterms] > 0;
    rank->df[rank->nterms++] = told > having ? told : having;
  }
  double tokens = 0;
  for (size_t n = 0; n < weighed; n++) tokens += r->found[n]->tokens;
  double average = r->average > 0 ? r->average : tokens / (double)(weighed + 1);
  rank->total_rows = r->total_rows > 0 ? r->total_rows : (double)r->count;
  rank->total_tokens = average * rank->total_rows;
  st_rank_weigh(rank);
}

void st_reading_rank(st_reading *r, int k, st_found *found) {
  double tf[ST_QUERY_TERMS_MAX];
  st_rank rank = {.order = r->order, .k = k};
  rank.hits = st_call_alloc(r->call, ((size_t)k + 1) * sizeof *rank.hits);
  if (!st_ok(r->call)) return;
  set_frequencies(r, &rank);
  for (size_t n = 0; n < r->nfound; n++) {
    const st_matching *m = r->found[n];
    st_hit hit = {.id = m->row.id, .time = m->row.time, .grade = m->row.grade};
    for (int i = 0; i < r->nterms; i++) tf[i] = m->times[i];
    if (r->order == ST_ORDER_RANK) hit.score = st_rank_score(&rank, tf, m->tokens);
    st_rank_offer(&rank, hit);
  }
  st_rank_finish(&rank);
  *found = (st_found){rank.hits, rank.count, (int64_t)r->nfound};
}
