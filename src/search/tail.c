/* tail.c - see tail.h. */
#include "search/tail.h"

#include <string.h>

#include "registry_ids.h"
#include "search/allowed.h"
#include "search/columns.h"

enum { RESULTS = ST_R_CONVERSATION_INDEX_BATCH_TOOL_CALLS + 1 };

/* Reads them one after another. */
typedef struct tail {
  st_call *call;
  const st_filter *filter;
  st_rows rows;
  st_value v[RESULTS];
  int64_t id;
  double time;
} tail;

static bool allows(const st_filter *filter, const st_value *session, const st_value *role, double time) {
  if (time < filter->since || time >= filter->until || !st_list_has(filter->roles, role)) return false;
  for (size_t i = 0; filter->sessions && i < filter->nsessions; i++)
    if (strcmp(filter->sessions[i], session->bytes) == 0) return true;
  return !filter->sessions;
}

_Static_assert((int)ST_R_CONVERSATION_INDEX_TAIL_TOOL_CALLS == (int)ST_R_CONVERSATION_INDEX_BATCH_TOOL_CALLS, "both tell the same");

static void start(tail *t, st_call *call, const st_index *index, const st_filter *filter) {
  st_value args[] = {st_int(index ? index->marks.upto : 0), st_int(ST_TAIL_MAX)};
  *t = (tail){.call = call, .filter = filter};
  st_rows_stream(call, &t->rows, index ? STELE_M_CONVERSATION_INDEX_BATCH : STELE_M_CONVERSATION_INDEX_TAIL, index ? args : NULL);
}

/* The next one that the filter lets through. */
static bool next(tail *t) {
  while (st_rows_next(t->call, &t->rows)) {
    for (size_t i = 0; i < RESULTS; i++) st_rows_value(t->call, &t->rows, i, &t->v[i]);
    t->id = t->v[ST_R_CONVERSATION_INDEX_BATCH_ID].integer;
    t->time = t->v[ST_R_CONVERSATION_INDEX_BATCH_TIMESTAMP].real;
    if (allows(t->filter, &t->v[ST_R_CONVERSATION_INDEX_BATCH_SESSION_ID], &t->v[ST_R_CONVERSATION_INDEX_BATCH_ROLE], t->time))
      return true;
  }
  st_rows_end(t->call, &t->rows);
  return false;
}

static void offer_match(tail *t, st_matcher *matcher, st_rank *rank, st_arena *scratch) {
  double tf[ST_QUERY_TERMS_MAX];
  st_column columns[ST_COLUMNS];
  st_columns_read(t->call, scratch, &t->v[ST_R_CONVERSATION_INDEX_BATCH_CONTENT], &t->v[ST_R_CONVERSATION_INDEX_BATCH_TOOL_NAME],
                  &t->v[ST_R_CONVERSATION_INDEX_BATCH_TOOL_CALLS], columns);
  const st_query *query = st_matcher_query(matcher);
  if (!st_ok(t->call) || !st_match(matcher, columns, query->inside ? 1 : ST_COLUMNS)) return;
  for (int i = 0, n = 0; i < query->term_count; i++)
    if (!query->terms[i].negative) tf[n++] = st_match_times(matcher, &query->terms[i]);
  st_hit hit = {.id = t->id, .time = t->time};
  if (rank->order == ST_ORDER_RANK) hit.score = st_rank_score(rank, tf, (double)st_match_tokens(matcher));
  rank->matches++;
  st_rank_offer(rank, hit);
}

void st_tail_match(st_call *call, const st_index *index, const st_query *query, const st_filter *filter, st_rank *rank) {
  st_matcher *matcher = st_matcher_new(call->arena, query);
  st_arena scratch;
  tail t;
  if (!matcher) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  st_arena_init(&scratch, UINT64_C(1) << 30);
  start(&t, call, index, filter);
  while (next(&t)) {
    offer_match(&t, matcher, rank, &scratch);
    st_arena_reset(&scratch);
  }
  st_arena_free(&scratch);
}

void st_tail_offer(st_call *call, const st_index *index, const st_filter *filter, st_rank *rank) {
  tail t;
  for (start(&t, call, index, filter); next(&t); rank->matches++) st_rank_offer(rank, (st_hit){.id = t.id, .time = t.time});
}

void st_tail_add(st_call *call, const st_index *index, const st_filter *filter, st_reading *r) {
  tail t;
  for (start(&t, call, index, filter); next(&t);) st_reading_add(r, t.id, t.time);
}
