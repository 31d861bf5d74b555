/* scores.c - see scores.h.
**
** Of many rows it is a matter of memory: so what the terms say of them is added up for a stretch of numbers at a time, which stays in
** the processor's nearest, and what a term says of a row is looked up by how often it has it and the code of its length. */
#include "search/scores.h"

#include <string.h>

#include "search/index_words.h"

#define STRETCH 2048 /* numbers */
#define BITS 64      /* of a word of the set */
#define FEW_PART 4   /* of a term's rows are in the set: they are sought one by one */
#define OFTEN 8      /* a term in a row: below, what that says is looked up */
#define RENEWED_PART 64 /* of the best rows: when so many have come, what a row must have to be among them is found anew */

/* Rows come in the order of their numbers: of equal ones the first is the better. */
static inline void offer(st_rank *rank, int64_t number, double score) {
  if (rank->count == rank->k && rank->k > 0 && score <= rank->hits[0].score) return;
  st_rank_offer(rank, (st_hit){.id = number, .score = score});
}

/* ---- Several terms ---- */

typedef struct scored_term {
  int place;        /* among those that count */
  bool sought;      /* row by row; else all of them are walked over */
  st_occurrences of;
  st_walk walk;
  size_t at; /* of what was walked over */
  double parts[OFTEN][ST_LENGTH_CODES]; /* of the score */
} scored_term;

typedef struct scoring {
  st_rank *rank;
  scored_term *terms;
  int count;
  double scores[STRETCH];
} scoring;

static inline int64_t number_at(scored_term *t) {
  if (t->at == t->walk.count) {
    t->at = 0;
    if (!st_walk_next(&t->walk)) return ST_NO_NUMBER;
  }
  return t->walk.numbers[t->at];
}

static inline double part_of(const st_rank *rank, const scored_term *t, uint32_t times, unsigned char code) {
  return times < OFTEN ? t->parts[times][code] : st_rank_part(rank, t->place, times, st_length_of_code(code));
}

static void add_all(scoring *s, scored_term *t, int64_t first) {
  while (number_at(t) < first) t->at++;
  for (int64_t number; (number = number_at(t)) < first + STRETCH; t->at++)
    s->scores[number - first] += part_of(s->rank, t, t->walk.times[t->at], t->walk.codes[t->at]);
}

static void add_few(scoring *s, scored_term *t, int64_t first, const uint64_t *bits, size_t words) {
  for (size_t i = 0; i < words; i++)
    for (uint64_t left = bits[i]; left; left &= left - 1) {
      int64_t number = first + (int64_t)(i * BITS) + __builtin_ctzll(left);
      if (st_occurrences_seek(&t->of, number) == number)
        s->scores[number - first] += st_rank_part(s->rank, t->place, t->of.now.times, t->of.now.length);
    }
}

static void rank_stretch(scoring *s, int64_t first, const uint64_t *bits, size_t words) {
  uint64_t any = 0;
  for (size_t i = 0; i < words; i++) any |= bits[i];
  if (!any) return;
  memset(s->scores, 0, sizeof s->scores);
  for (int i = 0; i < s->count; i++)
    if (s->terms[i].sought) add_few(s, &s->terms[i], first, bits, words);
    else add_all(s, &s->terms[i], first);
  for (size_t i = 0; i < words; i++)
    for (uint64_t left = bits[i]; left; left &= left - 1) {
      size_t at = i * BITS + (size_t)__builtin_ctzll(left);
      offer(s->rank, first + (int64_t)at, s->scores[at]);
    }
}

static void start_term(scored_term *t, const st_rank *rank, int place, const st_occurrences *of, bool sought) {
  t->place = place;
  t->sought = sought;
  t->of = *of;
  t->at = 0;
  if (sought) return;
  st_walk_start(&t->walk, of);
  for (unsigned times = 1; times < OFTEN; times++)
    for (unsigned code = 0; code < ST_LENGTH_CODES; code++)
      t->parts[times][code] = st_rank_part(rank, place, times, st_length_of_code((unsigned char)code));
}

static void start_terms(scoring *s, const st_query *query, const st_terms *terms, double rows) {
  for (int i = 0, place = 0; i < query->term_count; i++) {
    if (query->terms[i].negative) continue;
    bool sought = rows * FEW_PART < terms->rows[i];
    if (!s->rank->filters_only[place]) start_term(&s->terms[s->count++], s->rank, place, &terms->of[i], sought);
    place++;
  }
}

void st_scores_rank(st_call *call, st_arena *arena, const st_query *query, const st_terms *terms, const st_rowset *set, st_rank *rank) {
  scoring *s = st_arena_alloc(arena, sizeof *s);
  scored_term *all = st_arena_alloc(arena, (size_t)query->term_count * sizeof *all);
  if (!s || !all) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  s->rank = rank;
  s->terms = all;
  s->count = 0;
  start_terms(s, query, terms, (double)st_rowset_count(set));
  for (size_t i = 0; i < set->words; i += STRETCH / BITS)
    rank_stretch(s, (int64_t)(i * BITS), set->bits + i, set->words - i < STRETCH / BITS ? set->words - i : STRETCH / BITS);
  for (int i = 0; i < s->count; i++) st_words_check(call, all[i].sought ? &all[i].of : &all[i].walk.of);
}

/* ---- A single term ---- */

/* How often rows of each length must have a word to be among the best. */
static void find_least(const st_rank *rank, uint32_t *least) {
  double slope = st_rank_slope(rank);
  for (unsigned code = 0; code < ST_LENGTH_CODES; code++) {
    double times = (rank->norm + rank->norm_of_token * st_length_of_code((unsigned char)code)) / slope;
    least[code] = times < UINT32_MAX ? (uint32_t)times : UINT32_MAX;
  }
}

static void rank_term(st_call *call, const st_occurrences *term, st_rank *rank) {
  uint32_t least[ST_LENGTH_CODES] = {0};
  int taken = 0, often = 1 + rank->k / RENEWED_PART;
  st_walk walk;
  for (st_walk_start(&walk, term); st_walk_next(&walk); rank->matches += (int64_t)walk.count)
    for (size_t i = 0; i < walk.count; i++) {
      if (walk.times[i] < least[walk.codes[i]]) continue;
      offer(rank, walk.numbers[i], st_rank_part(rank, 0, walk.times[i], st_length_of_code(walk.codes[i])));
      if (rank->count == rank->k && ++taken % often == 0) find_least(rank, least);
    }
  st_words_check(call, &walk.of);
}

/* ---- Several that are all wanted ---- */

/* The rarest says which rows of the others are looked at. */
static void sort_terms(const st_query *query, const st_terms *terms, int *order) {
  for (int i = 0; i < query->term_count; i++) {
    int at = i;
    for (; at > 0 && terms->rows[order[at - 1]] > terms->rows[i]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
}

/* What all say, added up in the order of the terms, as it is elsewhere: the same rows have the same score. */
static double score_of(const st_rank *rank, st_join_word *const *words, int count) {
  double score = 0;
  for (int i = 0; i < count; i++)
    if (!rank->filters_only[i]) score += st_rank_part(rank, i, words[i]->of.now.times, words[i]->of.now.length);
  return score;
}

static void rank_all(st_call *call, st_arena *arena, const st_query *query, const st_terms *terms, st_rank *rank) {
  int order[ST_QUERY_TERMS_MAX], count = query->term_count;
  st_join_word words[ST_QUERY_TERMS_MAX], *of_term[ST_QUERY_TERMS_MAX];
  st_join join;
  sort_terms(query, terms, order);
  for (int i = 0; i < count; i++) {
    words[i] = (st_join_word){.of = terms->of[order[i]]};
    of_term[order[i]] = &words[i];
  }
  st_join_start(&join, arena, words, (size_t)count);
  for (int64_t number = st_join_seek(&join, 0); number != ST_NO_NUMBER; number = st_join_seek(&join, number + 1), rank->matches++)
    offer(rank, number, score_of(rank, of_term, count));
  for (int i = 0; i < count; i++) st_words_check(call, &words[i].of);
}

static bool are_all_wanted(const st_query_node *node) {
  return node->kind == ST_QUERY_TERM || (node->kind == ST_QUERY_AND && are_all_wanted(node->left) && are_all_wanted(node->right));
}

bool st_scores_suit(const st_query *query) { return are_all_wanted(query->root); }

void st_scores_rank_terms(st_call *call, st_arena *arena, const st_query *query, const st_terms *terms, st_rank *rank) {
  if (query->term_count == 1) rank_term(call, &terms->of[0], rank);
  else rank_all(call, arena, query, terms, rank);
}
