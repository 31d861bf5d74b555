/* inside_postgres.c - see inside_postgres.h. */
#include "search/inside_postgres.h"

#include <limits.h>
#include <math.h>

#include "search/by_time.h"
#include "search/inside.h"
#include "search/inside_rows.h"
#include "search/tail.h"

#define NEWEST 4000 /* rows, of the last parts, are looked at first; */
#define GROWTH 16   /* then so many times as many */
#define FIRST 512   /* of those that may match, so many are looked up first; */
#define MORE 4      /* then so many times as many */

/* Rows that may match, the newest or the oldest first. */
typedef struct source {
  st_source source;
  const st_entries *entries;
  const st_postgres_parts *parts;
  st_ids rows;
  st_reading *reading;
  int added, next; /* rows that were, and are to be */
} source;

static st_order order_of(const source *from) { return from->reading->order == ST_ORDER_OLDEST ? ST_ORDER_OLDEST : ST_ORDER_NEWEST; }

/* The first rows in that order.  When all of them are wanted, their times are told with them. */
static void choose(const source *from, st_rank *out) {
  if (from->rows.count <= (size_t)out->k && from->added == 0)
    for (size_t i = 0; i < from->rows.count; i++) st_rank_offer(out, (st_hit){.id = from->rows.ids[i]});
  else
    st_by_time(from->entries->call, from->parts, &from->rows, from->entries->filter, out);
  st_rank_finish(out);
}

static void more(st_source *of) {
  source *from = (source *)of;
  st_rank rank = {.order = order_of(from), .k = from->next};
  rank.hits = st_call_alloc(from->entries->call, ((size_t)rank.k + 1) * sizeof *rank.hits);
  if (rank.hits) choose(from, &rank);
  of->ended = !st_ok(from->entries->call) || rank.count < rank.k;
  if (!st_ok(from->entries->call)) return;
  if (rank.count) of->beyond = rank.hits[rank.count - 1].time;
  int kept = st_entries_of_hits(from->entries, rank.hits + from->added, rank.count - from->added);
  for (int i = 0; i < kept; i++) st_reading_add(from->reading, rank.hits[from->added + i].id, rank.hits[from->added + i].time);
  from->added = rank.count;
  from->next = from->next < INT_MAX / MORE ? from->next * MORE : INT_MAX;
}

/* Of the part that begins with that number and later ones. */
static void find(st_inside_rows *in, const st_entries *entries, const st_query *query, int64_t part, const st_ids *few, const st_filter *filter,
                 st_order order, int k, st_found *found) {
  st_reading r;
  source from = {.source = {.more = more}, .entries = entries, .parts = in->parts, .reading = &r, .next = FIRST};
  from.source.beyond = order == ST_ORDER_OLDEST ? -INFINITY : INFINITY;
  st_reading_begin(&r, in->call, query, order);
  r.roles = filter->roles;
  r.total_rows = in->parts->rows;
  r.average = in->parts->rows > 0 ? in->parts->tokens / in->parts->rows : 0;
  if (st_ok(in->call)) from.rows = st_inside_rows_find(in, query, part, few);
  if (st_ok(in->call) && entries->left_out.count) st_tail_add(in->call, NULL, filter, &r);
  st_reading_sort_source(&r, ST_INSIDE_MOST, &from.source);
  if (st_ok(in->call)) st_reading_match(&r, (size_t)k);
  if (st_ok(in->call)) st_reading_rank(&r, k, found);
  st_reading_end(&r);
}

void st_inside_postgres_find(const st_entries *entries, const st_postgres_parts *parts, const st_query *query, const st_ids *few,
                             const st_filter *filter, st_order order, int k, st_found *found) {
  st_inside_rows *in = st_call_alloc(entries->call, sizeof *in);
  double rows = order == ST_ORDER_RANK && few->all ? NEWEST : parts->rows;
  if (!in) return;
  *in = (st_inside_rows){.call = entries->call, .arena = entries->arena, .parts = parts};
  bool all;
  do {
    all = rows >= parts->rows;
    find(in, entries, query, all ? 0 : st_inside_rows_part(parts, rows), few, filter, order, k, found);
    rows *= GROWTH;
  } while (!all && st_ok(entries->call) && found->count < k);
}
