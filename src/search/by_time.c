/* by_time.c - see by_time.h. */
#include "search/by_time.h"

#include <stdlib.h>

#include "registry_ids.h"
#include "search/index_words.h"
#include "search/times.h"

#define READ_MOST 32 /* parts at once */

static int newest_first(const void *a, const void *b) {
  double one = (*(const st_postgres_part *const *)a)->newest, other = (*(const st_postgres_part *const *)b)->newest;
  return (one < other) - (one > other);
}

static int oldest_first(const void *a, const void *b) {
  double one = (*(const st_postgres_part *const *)a)->oldest, other = (*(const st_postgres_part *const *)b)->oldest;
  return (one > other) - (one < other);
}

const st_postgres_part **st_by_time_parts(st_call *call, const st_postgres_parts *parts, st_order order) {
  const st_postgres_part **all = st_call_alloc(call, (parts->count + 1) * sizeof *all);
  for (size_t i = 0; all && i < parts->count; i++) all[i] = &parts->all[i];
  if (all && parts->count) qsort(all, parts->count, sizeof *all, order == ST_ORDER_OLDEST ? oldest_first : newest_first);
  return all;
}

/* Could any message of it come before the last one that is wanted? */
static bool may_come_first(const st_rank *out, const st_postgres_part *part) {
  if (out->count < out->k || out->k == 0) return out->k > 0;
  double last = out->hits[0].time;
  return out->order == ST_ORDER_NEWEST ? part->newest >= last : part->oldest <= last;
}

size_t st_by_time_rows(const st_postgres_part *part, const st_ids *rows) { return st_ids_place(rows, part->last + 1) - st_ids_place(rows, part->first); }

typedef struct reader {
  st_call *call;
  const st_postgres_parts *parts;
  const st_ids *rows;
  const st_filter *filter;
  st_rank *out;
} reader;

static void offer_times(reader *r, const st_postgres_part *part, const st_value *times) {
  if (times->length != (size_t)(part->last - part->first + 1) * ST_TIME_BYTES) {
    st_words_damaged(r->call);
    return;
  }
  for (size_t at = st_ids_place(r->rows, part->first); at < r->rows->count && r->rows->ids[at] <= part->last; at++) {
    double time = st_times_at(times->bytes, (size_t)(r->rows->ids[at] - part->first));
    if (time >= r->filter->since && time < r->filter->until) st_rank_offer(r->out, (st_hit){.id = r->rows->ids[at], .time = time});
  }
}

static int by_first(const void *number, const void *part) {
  int64_t one = *(const int64_t *)number, other = ((const st_postgres_part *)part)->first;
  return (one > other) - (one < other);
}

static void read_parts(reader *r, const st_value *list) {
  uint32_t read = 0;
  st_value number, times;
  st_rows rows;
  st_rows_start(r->call, &rows, STELE_M_CONVERSATION_TIMES_OF_PARTS, list);
  for (; st_rows_next(r->call, &rows); read++) {
    st_rows_value(r->call, &rows, ST_R_CONVERSATION_TIMES_OF_PARTS_PART, &number);
    st_rows_value(r->call, &rows, ST_R_CONVERSATION_TIMES_OF_PARTS_TIMES, &times);
    offer_times(r, bsearch(&number.integer, r->parts->all, r->parts->count, sizeof *r->parts->all, by_first), &times);
  }
  st_rows_end(r->call, &rows);
  if (st_ok(r->call) && read != list->count) st_words_damaged(r->call);
}

/* Read as many of the next parts as have the rows that are missing still, and one at least; how many. */
static size_t read_some(reader *r, const st_postgres_part **next, size_t count) {
  st_value items[READ_MOST], list = {.type = ST_LIST, .items = items, .width = 1};
  size_t missing = (size_t)(r->out->k - r->out->count), found = 0, at = 0;
  for (; at < count && list.count < READ_MOST && (at == 0 || found < missing) && may_come_first(r->out, next[at]); at++) {
    size_t rows = st_by_time_rows(next[at], r->rows);
    if (rows) items[list.count++] = st_int(next[at]->first);
    found += rows;
  }
  if (list.count) read_parts(r, &list);
  return at;
}

void st_by_time(st_call *call, const st_postgres_parts *parts, const st_ids *rows, const st_filter *filter, st_rank *out) {
  reader r = {call, parts, rows, filter, out};
  const st_postgres_part **order = st_by_time_parts(call, parts, out->order);
  for (size_t at = 0; st_ok(call) && at < parts->count && may_come_first(out, order[at]);) at += read_some(&r, &order[at], parts->count - at);
}
