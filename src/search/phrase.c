/* phrase.c - see phrase.h. */
#include "search/phrase.h"

#include <stdlib.h>

#include "registry_ids.h"
#include "search/columns.h"
#include "search/index_words.h"
#include "search/join.h"
#include "search/terms.h"

#define READ_MOST 300 /* messages */
#define BATCH 100      /* that are read at once */
#define LITTLE 8e6     /* bytes of places, which are read as quickly as some hundred messages */

bool st_phrase_suits(const st_query *query) {
  const st_query_node *root = query->root;
  return root->kind == ST_QUERY_TERM && root->term->count > 1 && !root->term->prefix;
}

static int by_number(const void *a, const void *b) {
  int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
  return (one > other) - (one < other);
}

static bool is_among(const st_ids *few, int64_t number) {
  return few->all || (few->count && bsearch(&number, few->ids, few->count, sizeof *few->ids, by_number));
}

/* The rows that have all words that would be read, those first that may rank best.  False: what tells more of them is little to read. */
static bool find_bounds(const st_entries *entries, const st_term *term, const st_ids *few, st_rank *bounds) {
  double room = 0;
  st_join join;
  st_join_word *words = st_call_alloc(entries->call, (size_t)term->count * sizeof *words);
  size_t count = words ? st_terms_words(entries->call, entries->arena, term, words, &room) : 0;
  if (!st_ok(entries->call) || room < LITTLE) return false;
  st_join_start(&join, entries->arena, words, count);
  for (int64_t number = st_join_seek(&join, 0); number != ST_NO_NUMBER; number = st_join_seek(&join, number + 1)) {
    uint32_t times = st_join_most(&join);
    if (!is_among(few, number)) continue;
    bounds->matches++;
    st_rank_offer(bounds, (st_hit){.id = number, .score = st_rank_part(bounds, 0, times, words[0].of.now.length)});
  }
  for (size_t i = 0; i < count; i++) st_words_check(entries->call, &words[i].of);
  st_rank_finish(bounds);
  return st_ok(entries->call);
}

/* Messages that are read, and their numbers. */
typedef struct batch {
  st_hit *hits;
  int64_t numbers[BATCH];
  int count;
} batch;

static int64_t number_of(const batch *of, int64_t id) {
  int at = 0;
  while (at < of->count - 1 && of->hits[at].id != id) at++;
  return of->numbers[at];
}

/* The same score as it has where all of the index is read, so that pages of one list are of one order. */
static void read_message(st_call *call, st_rows *rows, st_arena *scratch, st_matcher *matcher, const batch *of, st_rank *out) {
  enum { RESULTS = ST_R_CONVERSATION_FIND_TEXTS_TOOL_CALLS + 1 };
  st_value v[RESULTS];
  st_column columns[ST_COLUMNS];
  for (size_t i = 0; i < RESULTS; i++) st_rows_value(call, rows, i, &v[i]);
  st_columns_read(call, scratch, &v[ST_R_CONVERSATION_FIND_TEXTS_CONTENT], &v[ST_R_CONVERSATION_FIND_TEXTS_TOOL_NAME],
                  &v[ST_R_CONVERSATION_FIND_TEXTS_TOOL_CALLS], columns);
  if (!st_ok(call) || !st_match(matcher, columns, ST_COLUMNS)) return;
  double times = st_match_times(matcher, &st_matcher_query(matcher)->terms[0]);
  out->matches++;
  uint32_t length = st_occurrences_length((uint32_t)st_match_tokens(matcher));
  st_rank_offer(out, (st_hit){.id = number_of(of, v[ST_R_CONVERSATION_FIND_TEXTS_ID].integer), .score = st_rank_part(out, 0, times, length)});
}

/* Read some rows, and offer those that have the phrase. */
static void read_some(const st_entries *entries, st_matcher *matcher, st_hit *hits, int count, st_rank *out) {
  st_value items[BATCH], args[ST_P_CONVERSATION_FIND_TEXTS_ROLES + 1] = {{.type = ST_LIST, .items = items, .width = 1}, {.type = ST_ABSENT}};
  st_arena scratch;
  st_rows rows;
  batch of = {.hits = hits};
  of.count = st_entries_numbered(entries, hits, count, of.numbers);
  args[0].count = (uint32_t)of.count;
  for (uint32_t i = 0; i < args[0].count; i++) items[i] = st_int(hits[i].id);
  st_arena_init(&scratch, (size_t)1 << 30);
  st_rows_start(entries->call, &rows, STELE_M_CONVERSATION_FIND_TEXTS, args);
  while (st_rows_next(entries->call, &rows)) {
    read_message(entries->call, &rows, &scratch, matcher, &of, out);
    st_arena_reset(&scratch);
  }
  st_rows_end(entries->call, &rows);
  st_arena_free(&scratch);
}

static bool is_better(const st_rank *out, const st_hit *bound) {
  return out->count < out->k || (out->k > 0 && bound->score >= out->hits[0].score);
}

bool st_phrase_find(const st_entries *entries, const st_query *query, const st_ids *few, st_rank *out) {
  st_rank bounds = *out;
  st_matcher *matcher = st_matcher_new(entries->call->arena, query);
  int at = 0;
  bounds.k = READ_MOST;
  bounds.order = ST_ORDER_RANK;
  bounds.hits = st_call_alloc(entries->call, ((size_t)READ_MOST + 1) * sizeof *bounds.hits);
  if (!matcher) st_fail(entries->call, STELE_NOMEM, NULL, "out of memory");
  if (!st_ok(entries->call) || !find_bounds(entries, query->root->term, few, &bounds)) return false;
  for (; st_ok(entries->call) && at < bounds.count && is_better(out, &bounds.hits[at]); at += BATCH)
    read_some(entries, matcher, bounds.hits + at, bounds.count - at < BATCH ? bounds.count - at : BATCH, out);
  if (at < bounds.count || bounds.matches <= bounds.count) return true;
  out->count = 0;
  out->matches = 0;
  return false;
}
