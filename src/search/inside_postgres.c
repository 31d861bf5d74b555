/* inside_postgres.c - see inside_postgres.h. */
#include "search/inside_postgres.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/by_time.h"
#include "search/inside.h"
#include "search/inside_rows.h"
#include "search/tail.h"

#define STEP 4000                    /* rows that the first parts have in which is looked; */
#define GROWTH 4                     /* then so many times as many as before, all together, at most */
#define FIRST 512                    /* of those that may match, so many are added first; */
#define SPARE 64                     /* by rank as many as are missing, and so many more, which may be no messages any more; */
#define MORE 4                       /* then so many times as many */
#define LOOKED_UP 25                 /* rows: to look these up takes as long as to read the times of a part */

/* Rows that may match: those of some parts after those of others. */
typedef struct source {
  st_source source;
  const st_entries *entries;
  const st_ids *few;
  st_reading *reading;
  st_inside_rows in;
  const st_postgres_part **parts; /* in the order of time, or by rank the last ones first, without those that have nothing within the filter */
  size_t count, at;               /* of these, so many have been looked at */
  double looked;                  /* rows of these parts */
  st_ids rows;                    /* that may match and were not added, of the parts so far */
  double last;                    /* they are not before this time, in that order */
  int next;                       /* so many of them are to be added */
} source;

static bool is_by_rank(const source *from) { return from->reading->order == ST_ORDER_RANK; }

/* By rank the newest come first. */
static st_order order_of(const source *from) { return is_by_rank(from) ? ST_ORDER_NEWEST : from->reading->order; }

static bool is_before(const source *from, double one, double other) { return order_of(from) == ST_ORDER_OLDEST ? one < other : one > other; }

/* Before any other, and behind all others. */
static double start_of_time(const source *from) { return order_of(from) == ST_ORDER_OLDEST ? -INFINITY : INFINITY; }

/* ---- Parts ---- */

static bool is_within(const source *from, const st_postgres_part *part) {
  const st_filter *filter = from->entries->filter;
  return part->live >= 0 && part->newest >= filter->since && part->oldest < filter->until && (from->few->all || st_by_time_rows(part, from->few));
}

/* A few late messages do not make a part a new one: so its newest says little of it. */
static const st_postgres_part **last_first(st_call *call, const st_postgres_parts *parts) {
  const st_postgres_part **all = st_call_alloc(call, (parts->count + 1) * sizeof *all);
  for (size_t i = 0; all && i < parts->count; i++) all[i] = &parts->all[parts->count - 1 - i];
  return all;
}

static void list_parts(source *from) {
  st_call *call = from->entries->call;
  from->parts = is_by_rank(from) ? last_first(call, from->in.parts) : st_by_time_parts(call, from->in.parts, order_of(from));
  for (size_t i = 0; from->parts && i < from->in.parts->count; i++)
    if (is_within(from, from->parts[i])) from->parts[from->count++] = from->parts[i];
}

/* What has not been looked at is not before this time. */
static double time_of_next(const source *from) {
  if (from->at == from->count) return -start_of_time(from);
  return order_of(from) == ST_ORDER_OLDEST ? from->parts[from->at]->oldest : from->parts[from->at]->newest;
}

/* By rank, so many rows are missing in the block that is read. */
static size_t count_missing(const source *from) { return ST_INSIDE_BLOCK - from->reading->count % ST_INSIDE_BLOCK; }

/* So many of the rows that are found next may be of other roles, which reading leaves out: by rank only as many as will be read in any case, as others
** would take the places of older rows. */
static size_t count_unread(const source *from) {
  if (!is_by_rank(from)) return ST_INSIDE_BLOCK;
  size_t missing = count_missing(from);
  return from->at == from->count && from->rows.count < missing ? missing - from->rows.count : 0;
}

static int count_first(const source *from) { return is_by_rank(from) ? SPARE + (int)count_missing(from) : FIRST; }

/* By rank no more rows than have those that are still missing, as far as can be told by what was found. */
static double next_step(const source *from) {
  double most = GROWTH * from->looked, found = (double)from->reading->count;
  if (from->looked <= 0) return STEP;
  if (!is_by_rank(from) || found == 0) return most;
  double enough = from->looked / found * (double)(count_missing(from) + SPARE);
  return enough > most ? most : enough < from->looked / GROWTH ? from->looked / GROWTH : enough;
}

static void look_on(source *from) {
  double rows = 0, step = next_step(from);
  size_t first = from->at;
  while (from->at < from->count && rows < step) rows += (double)from->parts[from->at++]->rows;
  from->looked += rows;
  from->next = count_first(from);
  st_ids found = st_inside_rows_find(&from->in, from->parts + first, from->at - first, from->few, count_unread(from));
  from->rows = st_ids_either(from->entries->call, from->entries->arena, from->rows, found);
}

/* ---- Rows ---- */

/* The first ones.  When all are wanted, their times are told with them. */
static void choose(const source *from, st_rank *out) {
  if (from->rows.count <= (size_t)out->k)
    for (size_t i = 0; i < from->rows.count; i++) st_rank_offer(out, (st_hit){.id = from->rows.ids[i]});
  else
    st_by_time(from->entries->call, from->in.parts, &from->rows, from->entries->filter, out);
  st_rank_finish(out);
}

static int by_id(const void *a, const void *b) {
  const st_hit *one = a, *other = b;
  return (one->id > other->id) - (one->id < other->id);
}

/* They are rows no more; the others, if fewer were chosen than were wanted, are not within the filter. */
static void take_out(source *from, const st_rank *chosen) {
  size_t kept = 0, at = 0, count = (size_t)chosen->count;
  st_hit *sorted = st_call_alloc(from->entries->call, (count + 1) * sizeof *sorted);
  if (!sorted) return;
  if (count) memcpy(sorted, chosen->hits, count * sizeof *sorted);
  if (count) qsort(sorted, count, sizeof *sorted, by_id);
  for (size_t i = 0; i < from->rows.count && chosen->count == chosen->k; i++) {
    bool taken = at < count && sorted[at].id == from->rows.ids[i];
    if (taken) at++;
    else from->rows.ids[kept++] = from->rows.ids[i];
  }
  from->rows.count = kept;
}

/* So many are added next.  To choose among little more than these takes longer than to look up all of them. */
static int count_next(const source *from) {
  double rows = (double)from->rows.count, next = from->next, read = next / rows * (double)from->in.parts->count; /* parts, about */
  return rows - next <= LOOKED_UP * read ? (int)rows : from->next;
}

static void add_next(source *from) {
  st_rank rank = {.order = order_of(from), .k = count_next(from)};
  rank.hits = st_call_alloc(from->entries->call, ((size_t)rank.k + 1) * sizeof *rank.hits);
  if (rank.hits) choose(from, &rank);
  if (!st_ok(from->entries->call)) return;
  take_out(from, &rank);
  from->last = from->rows.count ? rank.hits[rank.count - 1].time : -start_of_time(from);
  int kept = st_entries_of_hits(from->entries, rank.hits, rank.count);
  for (int i = 0; i < kept; i++) st_reading_add(from->reading, rank.hits[i].id, rank.hits[i].time);
  from->next = from->next < INT_MAX / MORE ? from->next * MORE : INT_MAX;
}

/* By rank it does not matter whether something in the next parts is newer. */
static bool next_is_before(const source *from) { return !is_by_rank(from) && is_before(from, time_of_next(from), from->last); }

static void more(st_source *of) {
  source *from = (source *)of;
  st_call *call = from->entries->call;
  if (from->rows.count == 0 || next_is_before(from)) look_on(from);
  if (st_ok(call) && from->rows.count) add_next(from);
  of->ended = !st_ok(call) || (from->rows.count == 0 && from->at == from->count);
  of->beyond = next_is_before(from) ? time_of_next(from) : from->last;
}

void st_inside_postgres_find(const st_entries *entries, const st_postgres_parts *parts, const st_query *query, const st_ids *few,
                             const st_filter *filter, st_order order, int k, st_found *found) {
  st_reading r;
  source *from = st_call_alloc(entries->call, sizeof *from);
  if (!from) return;
  st_reading_begin(&r, entries->call, query, order);
  r.roles = filter->roles;
  r.total_rows = parts->rows;
  r.average = parts->rows > 0 ? parts->tokens / parts->rows : 0;
  *from = (source){.source = {.more = more}, .entries = entries, .few = few, .reading = &r};
  from->in = (st_inside_rows){.call = entries->call, .arena = entries->arena, .parts = parts, .query = query, .roles = filter->roles};
  from->source.beyond = start_of_time(from);
  from->last = -start_of_time(from);
  list_parts(from);
  if (st_ok(entries->call) && entries->left_out.count) st_tail_add(entries->call, NULL, filter, &r);
  st_reading_sort_source(&r, ST_INSIDE_BLOCK, &from->source);
  if (st_ok(entries->call)) st_reading_match(&r, (size_t)k);
  if (st_ok(entries->call)) st_reading_rank(&r, k, found);
  st_reading_end(&r);
}
