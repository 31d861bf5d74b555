/* by_time.c - see by_time.h. */
#include "search/by_time.h"

#include <stdlib.h>

#include "registry_ids.h"
#include "search/terms.h"
#include "search/times.h"

static int newest_first(const void *a, const void *b) {
  double one = (*(const st_postgres_part *const *)a)->newest, other = (*(const st_postgres_part *const *)b)->newest;
  return (one < other) - (one > other);
}

static int oldest_first(const void *a, const void *b) {
  double one = (*(const st_postgres_part *const *)a)->oldest, other = (*(const st_postgres_part *const *)b)->oldest;
  return (one > other) - (one < other);
}

/* Could any message of it come before the last one that is wanted? */
static bool may_come_first(const st_rank *out, const st_postgres_part *part) {
  if (out->count < out->k || out->k == 0) return out->k > 0;
  double last = out->hits[0].time;
  return out->order == ST_ORDER_NEWEST ? part->newest >= last : part->oldest <= last;
}

/* The first row of a sorted list that is `number` or a later one. */
static size_t find_place(const st_ids *rows, int64_t number) {
  size_t from = 0, to = rows->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (rows->ids[middle] < number) from = middle + 1;
    else to = middle;
  }
  return from;
}

static void offer_times(const st_postgres_part *part, const char *times, const st_ids *rows, size_t at, const st_filter *filter, st_rank *out) {
  for (; at < rows->count && rows->ids[at] <= part->last; at++) {
    double time = st_times_at(times, (size_t)(rows->ids[at] - part->first));
    if (time >= filter->since && time < filter->until) st_rank_offer(out, (st_hit){.id = rows->ids[at], .time = time});
  }
}

static void read_part(st_call *call, const st_postgres_part *part, const st_ids *rows, const st_filter *filter, st_rank *out) {
  size_t at = find_place(rows, part->first), wanted = (size_t)(part->last - part->first + 1) * ST_TIME_BYTES;
  st_value number = st_int(part->first), times;
  st_rows list;
  if (at == rows->count || rows->ids[at] > part->last) return;
  st_rows_start(call, &list, STELE_M_CONVERSATION_TIMES_OF_PART, &number);
  bool there = st_rows_next(call, &list);
  if (there) st_rows_value(call, &list, 0, &times);
  if (there && times.length == wanted) offer_times(part, times.bytes, rows, at, filter, out);
  else if (st_ok(call)) st_terms_damaged(call);
  st_rows_end(call, &list);
}

void st_by_time(st_call *call, const st_postgres_parts *parts, const st_ids *rows, const st_filter *filter, st_rank *out) {
  const st_postgres_part **order = st_call_alloc(call, (parts->count + 1) * sizeof *order);
  if (!order) return;
  for (size_t i = 0; i < parts->count; i++) order[i] = &parts->all[i];
  if (parts->count) qsort(order, parts->count, sizeof *order, out->order == ST_ORDER_NEWEST ? newest_first : oldest_first);
  for (size_t i = 0; i < parts->count && st_ok(call) && may_come_first(out, order[i]); i++) read_part(call, order[i], rows, filter, out);
}
