/* find_postgres.c - searching where the index is tables of the store (postings.sql): the server hands out where the words of
** a query are, and they are put together and ranked here, as they are on SQLite.
**
** Which rows may be found, the server knows.  Where these are few, they are asked for first; else the best rows are looked
** up until enough of them are within the filter.  Who said a message is kept like a word of it.  All of it is read at one moment, in one transaction. */
#include "search/find_postgres.h"

#include <string.h>

#include "engine/feature.h"
#include "registry_ids.h"
#include "search/by_time.h"
#include "search/corpus.h"
#include "search/entries.h"
#include "search/index_words.h"
#include "search/indexer_postgres.h"
#include "search/inside_postgres.h"
#include "search/phrase.h"
#include "search/quick.h"
#include "search/rowset.h"
#include "search/scores.h"
#include "search/tail.h"
#include "search/terms.h"

#define MEMORY ((size_t)2 << 30)
#define SPARE 100 /* rows, some of which may be messages no more, or of one time */
#define MORE 8 /* times as many rows are looked up when too few were within the filter, */
#define MANY 20000 /* up to so many */

typedef struct finder {
  st_call *call;
  st_arena *arena;
  const st_query *query;
  st_order order;
  int k;
  int64_t from; /* rows of smaller numbers are not looked at */
  st_postgres_parts parts;
  const st_value *roles; /* as in the filter */
  st_filter filter;      /* the rest of it */
  st_entries entries;
  st_ids few;   /* the rows that the filter lets through, unless they are many */
  st_terms terms;
  bool by_terms;   /* all rows that have the terms are found; else */
  st_rowset found; /* these, */
  size_t count;    /* so many of them, */
  st_ids rows;     /* by time as a list */
  const st_hit *hits; /* the best of them */
  int nhits;
} finder;

/* ---- By rank ---- */

static st_rank begin_rank(const finder *f, int k) {
  st_rank rank = {.order = f->order, .k = k, .total_rows = f->parts.rows, .total_tokens = f->parts.tokens};
  for (int i = 0; i < f->query->term_count; i++)
    if (!f->query->terms[i].negative) rank.df[rank.nterms++] = f->terms.rows[i];
  st_rank_weigh(&rank);
  rank.hits = st_call_alloc(f->call, ((size_t)k + 1) * sizeof *rank.hits);
  return rank;
}

/* ---- In any order ---- */

/* When all are wanted, their times are of no account yet. */
static void offer_all(const finder *f, st_rank *rank) {
  for (size_t i = 0; i < f->rows.count; i++) st_rank_offer(rank, (st_hit){.id = f->rows.ids[i]});
}

static st_rank choose(const finder *f, int k) {
  st_rank rank = begin_rank(f, k);
  if (!st_ok(f->call)) return rank;
  if (f->order != ST_ORDER_RANK && f->rows.count <= (size_t)k) offer_all(f, &rank);
  else if (f->order != ST_ORDER_RANK) st_by_time(f->call, &f->parts, &f->rows, &f->filter, &rank);
  else if (f->by_terms) st_scores_rank_terms(f->call, f->arena, f->query, &f->terms, &rank);
  else st_scores_rank(f->call, f->arena, f->query, &f->terms, &f->found, &rank);
  if (!f->by_terms) rank.matches = (int64_t)f->count;
  st_rank_finish(&rank);
  return rank;
}

/* By rank, equal ones stay in the order of their numbers, which chose them, so that one page goes on where another ended: that of
** their messages, of which some were changed, is another.  So they are offered by their place, as numbers below 0. */
static void offer_chosen(finder *f, st_hit *hits, int count, st_rank *out) {
  f->hits = hits;
  f->nhits = count;
  for (int i = 0; i < count; i++)
    st_rank_offer(out, f->order == ST_ORDER_RANK ? (st_hit){.id = i - count, .score = hits[i].score} : hits[i]);
}

/* Of one time, those that were changed have later numbers than others, by which they were chosen, but not later ids: others may belong before
** the last of them. */
static bool is_split(const finder *f, const st_hit *hits, int kept) {
  return f->order != ST_ORDER_RANK && f->k > 0 && hits[f->k - 1].time == hits[kept - 1].time;
}

static void set_found(finder *f, const st_rowset *set) {
  f->found = *set;
  f->by_terms = false;
  f->count = st_rowset_count(set);
  if (f->order != ST_ORDER_RANK) f->rows = st_rowset_list(f->call, f->arena, set);
}

/* So few of them were within the filter that all of these are asked for. */
static void keep_within(finder *f) {
  st_ids within = st_entries_within(&f->entries);
  st_rowset set = f->found;
  if (f->by_terms) set = st_rowset_find(f->call, f->arena, f->query->root, &f->terms, f->parts.last);
  if (st_ok(f->call)) st_rowset_keep(f->call, f->arena, &set, &within, 0);
  if (st_ok(f->call)) set_found(f, &set);
}

/* The first rows in the order that is asked for, and more of them, until enough are messages within the filter. */
static void find_first(finder *f, st_rank *out) {
  bool narrowed = f->few.all && st_entries_are_narrowed(&f->entries); /* by what is not known yet */
  int64_t spare = (int64_t)f->entries.left_out.count + SPARE + (narrowed ? f->k : 0);
  for (int64_t most = f->k + spare; st_ok(f->call); most *= MORE) {
    if (narrowed && most > MANY) {
      keep_within(f);
      narrowed = false;
    }
    int64_t all = f->by_terms ? f->parts.last : (int64_t)f->count;
    st_rank rank = choose(f, (int)(most < all ? most : all));
    int kept = st_ok(f->call) ? st_entries_of_hits(&f->entries, rank.hits, rank.count) : 0;
    if (most < all && rank.count == rank.k && (kept < f->k || is_split(f, rank.hits, kept))) continue;
    offer_chosen(f, rank.hits, kept, out);
    out->matches = rank.matches;
    return;
  }
}

/* The messages at these places. */
static void put_back(const finder *f, st_rank *best) {
  for (int i = 0; i < best->count; i++)
    if (best->hits[i].id < 0) best->hits[i] = f->hits[best->hits[i].id + f->nhits];
}

/* ---- Rows ---- */

/* Leave those that were said by some role. */
static void keep_roles(finder *f, int64_t part, st_rowset *set) {
  st_value *marks = st_call_alloc(f->call, (f->roles->count + 1) * sizeof *marks);
  st_occurrences *of = st_call_alloc(f->call, (f->roles->count + 1) * sizeof *of);
  for (uint32_t i = 0; i < f->roles->count && st_ok(f->call); i++) marks[i] = st_words_role(f->call, &f->roles->items[i]);
  size_t count = st_ok(f->call) ? st_terms_list(f->call, f->arena, marks, f->roles->count, part, of) : 0;
  if (st_ok(f->call)) st_rowset_keep_any(f->call, f->arena, set, of, count);
}

/* The rows that the query finds, of those that are let through. */
static void find_rows(finder *f, int64_t part) {
  f->by_terms = f->order == ST_ORDER_RANK && st_scores_suit(f->query) && f->few.all && f->from == 0 && !f->roles;
  if (f->by_terms) return;
  st_rowset set = st_rowset_find(f->call, f->arena, f->query->root, &f->terms, f->parts.last);
  if (st_ok(f->call)) st_rowset_keep(f->call, f->arena, &set, &f->few, f->from);
  if (st_ok(f->call) && f->roles) keep_roles(f, part, &set);
  if (st_ok(f->call)) set_found(f, &set);
}

/* ---- All together ---- */

static void read_left_out(finder *f) {
  f->entries.left_out = st_ids_read(f->call, f->arena, STELE_M_CONVERSATION_CHANGED_MESSAGES, NULL);
}

/* While somebody types, the commonest words stand for all that begin so. */
static void plan_quick(finder *f) {
  st_quick_words words = st_quick_postgres(f->parts.rows, f->parts.last);
  st_quick plan;
  if (!f->query->quick || !st_quick_plan(f->call, &words, f->query, &plan)) return;
  f->query = plan.query;
  f->from = plan.from;
  if (f->from > 0)
    st_note(f->call, "very many messages have these words: only the newest %lld were looked at", (long long)(f->parts.last - f->from));
}

/* The first number of the part that has a number. */
static int64_t part_of(const finder *f, int64_t number) {
  int64_t first = 0;
  for (size_t i = 0; i < f->parts.count && f->parts.all[i].first <= number; i++) first = f->parts.all[i].first;
  return first;
}

/* The weight of a single term is the same for all rows. */
static bool find_phrase(finder *f, st_rank *best) {
  if (f->order != ST_ORDER_RANK || f->from > 0 || f->roles || !st_phrase_suits(f->query)) return false;
  f->terms.rows[0] = 1;
  *best = begin_rank(f, f->k);
  st_rank rank = begin_rank(f, f->k);
  if (!st_ok(f->call) || !st_phrase_find(&f->entries, f->query, &f->few, &rank)) return false;
  st_rank_finish(&rank);
  offer_chosen(f, rank.hits, st_entries_of_hits(&f->entries, rank.hits, rank.count), best);
  best->matches = rank.matches;
  return true;
}

/* Of the rows of one part and later ones. */
static st_rank find_in_parts(finder *f, int64_t part) {
  st_rank best = {0};
  if (find_phrase(f, &best)) return best;
  st_terms_read(f->call, f->arena, f->query, part, &f->terms);
  if (st_ok(f->call)) find_rows(f, part);
  if (st_ok(f->call)) best = begin_rank(f, f->k);
  if (!st_ok(f->call)) return best;
  find_first(f, &best);
  return best;
}

static void find(finder *f, const st_filter *filter, st_found *found) {
  st_postgres_parts_read(f->call, &f->parts);
  read_left_out(f);
  if (!f->query->inside) plan_quick(f);
  f->few = st_entries_few(&f->entries);
  if (f->query->inside) {
    st_inside_postgres_find(&f->entries, &f->parts, f->query, &f->few, filter, f->order, f->k, found);
    return;
  }
  st_rank best = find_in_parts(f, part_of(f, f->from));
  if (!st_ok(f->call)) return;
  if (f->entries.left_out.count) st_tail_match(f->call, NULL, f->query, filter, &best);
  st_rank_finish(&best);
  put_back(f, &best);
  *found = (st_found){best.hits, best.count, best.matches};
}

/* What is due is indexed first, if it is much; who only reads has to read it. */
static void make_ready(st_call *call) {
  st_marks marks = {.upto = INT64_MAX};
  int64_t changes = 0, indexed;
  st_feature_need(call, ST_F_CONVERSATION_CHANGES);
  st_feature_need(call, ST_F_CONVERSATION_POSTINGS);
  if (st_ok(call) && !(st_feature_look(call, ST_F_CONVERSATION_CHANGES) && st_feature_look(call, ST_F_CONVERSATION_POSTINGS))) {
    st_fail(call, STELE_READONLY, NULL, "the store has no search index yet, and is open for reading only");
    st_hint(call, "search it once through a handle that may write");
  }
  if (!st_ok(call) || call->store->target.readonly) return;
  st_corpus_of(call).backlog(call, &marks, &changes);
  if (st_ok(call) && changes > ST_TAIL_MAX) st_postgres_catch_up(call, &indexed);
}

void st_postgres_find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k, st_found *found) {
  st_arena arena;
  *found = (st_found){0};
  if (query->root->kind == ST_QUERY_EMPTY) return;
  make_ready(call);
  finder *f = st_call_alloc(call, sizeof *f);
  if (!f) return;
  *f = (finder){.call = call, .arena = &arena, .query = query, .order = order, .k = k};
  f->roles = filter->roles;
  f->filter = *filter;
  f->filter.roles = NULL;
  st_arena_init(&arena, MEMORY);
  f->entries = st_entries_of(call, &arena, &f->filter);
  st_call_begin(call, false);
  if (st_ok(call)) {
    find(f, filter, found);
    st_call_end(call);
  }
  st_arena_free(&arena);
}
