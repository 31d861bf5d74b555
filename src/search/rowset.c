/* rowset.c - see rowset.h. */
#include "search/rowset.h"

#include <string.h>

#include "search/index_words.h"

#define BITS 64
#define FEW_PART 8 /* of all rows: these are sought one by one */

static st_rowset new_set(st_call *call, st_arena *arena, int64_t last) {
  st_rowset set = {.words = (size_t)last / BITS + 1, .last = last};
  set.bits = st_ok(call) ? st_arena_zero(arena, set.words * sizeof *set.bits) : NULL;
  if (!set.bits) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return set;
}

static inline void add(st_rowset *set, int64_t number) { set->bits[number / BITS] |= UINT64_C(1) << number % BITS; }

/* A number that the index never gave shows that it is damaged. */
static void check(st_call *call, st_occurrences of, bool broken, int64_t after) {
  of.broken = broken || after != ST_NO_NUMBER;
  st_words_check(call, &of);
}

static void add_term(st_call *call, st_rowset *set, const st_occurrences *term) {
  st_walk walk;
  for (st_walk_start(&walk, term); walk.of.now.number <= set->last && st_walk_next(&walk);)
    for (size_t i = 0; i < walk.count && walk.numbers[i] <= set->last; i++) add(set, walk.numbers[i]);
  bool beyond = walk.count > 0 && walk.numbers[walk.count - 1] > set->last;
  check(call, *term, walk.of.broken, beyond ? walk.numbers[walk.count - 1] : walk.of.now.number);
}

/* Leave those that have a term. */
static void keep_term(st_call *call, st_rowset *set, const st_occurrences *term) {
  st_occurrences of = *term;
  for (size_t i = 0; i < set->words; i++)
    for (uint64_t left = set->bits[i]; left; left &= left - 1) {
      int64_t number = (int64_t)(i * BITS) + __builtin_ctzll(left);
      if (st_occurrences_seek(&of, number) != number) set->bits[i] ^= left & -left;
    }
  int64_t after = st_occurrences_seek(&of, set->last + 1);
  check(call, *term, of.broken, after);
}

void st_rowset_combine(st_rowset *left, const st_rowset *right, st_query_kind kind) {
  for (size_t i = 0; i < left->words; i++) {
    uint64_t other = right->bits[i];
    if (kind == ST_QUERY_OR) left->bits[i] |= other;
    else left->bits[i] &= kind == ST_QUERY_AND ? other : ~other;
  }
}

/* A part of a query, and how many rows it has at most. */
static double most_rows(const st_query_node *node, const st_terms *terms) {
  if (node->kind == ST_QUERY_EMPTY) return 0;
  if (node->kind == ST_QUERY_TERM) return terms->rows[node->term->number];
  double left = most_rows(node->left, terms), right = node->kind == ST_QUERY_NOT ? 0 : most_rows(node->right, terms);
  if (node->kind == ST_QUERY_AND) return left < right ? left : right;
  return left + right;
}

/* Of two parts that are both wanted the one with fewer rows says which of the other's are looked at. */
static st_rowset find_both(st_call *call, st_arena *arena, const st_query_node *node, const st_terms *terms, int64_t last) {
  bool turned = most_rows(node->right, terms) < most_rows(node->left, terms);
  const st_query_node *few = turned ? node->right : node->left, *many = turned ? node->left : node->right;
  st_rowset set = st_rowset_find(call, arena, few, terms, last);
  if (st_ok(call) && many->kind == ST_QUERY_TERM) {
    keep_term(call, &set, &terms->of[many->term->number]);
  } else if (st_ok(call)) {
    st_rowset other = st_rowset_find(call, arena, many, terms, last);
    if (st_ok(call)) st_rowset_combine(&set, &other, ST_QUERY_AND);
  }
  return set;
}

st_rowset st_rowset_find(st_call *call, st_arena *arena, const st_query_node *node, const st_terms *terms, int64_t last) {
  if (node->kind == ST_QUERY_AND) return find_both(call, arena, node, terms, last);
  if (node->kind == ST_QUERY_TERM || node->kind == ST_QUERY_EMPTY) {
    st_rowset set = new_set(call, arena, last);
    if (st_ok(call) && node->kind == ST_QUERY_TERM) add_term(call, &set, &terms->of[node->term->number]);
    return set;
  }
  st_rowset left = st_rowset_find(call, arena, node->left, terms, last), right = st_rowset_find(call, arena, node->right, terms, last);
  if (st_ok(call)) st_rowset_combine(&left, &right, node->kind);
  return left;
}

st_rowset st_rowset_of(st_call *call, st_arena *arena, const st_ids *ids, int64_t last) {
  st_rowset set = new_set(call, arena, last);
  for (size_t i = 0; i < ids->count && st_ok(call); i++)
    if (ids->ids[i] >= 0 && ids->ids[i] <= last) add(&set, ids->ids[i]);
  return set;
}

void st_rowset_keep(st_call *call, st_arena *arena, st_rowset *set, const st_ids *only, int64_t from) {
  if (!only->all) {
    st_rowset kept = st_rowset_of(call, arena, only, set->last);
    if (st_ok(call)) st_rowset_combine(set, &kept, ST_QUERY_AND);
  }
  if (!st_ok(call) || from <= 0) return;
  size_t whole = (size_t)(from < set->last ? from : set->last) / BITS;
  memset(set->bits, 0, whole * sizeof *set->bits);
  set->bits[whole] &= ~UINT64_C(0) << from % BITS;
}

static bool has_any(st_occurrences *words, size_t count, int64_t number) {
  for (size_t i = 0; i < count; i++)
    if (st_occurrences_seek(&words[i], number) == number) return true;
  return false;
}

void st_rowset_keep_any(st_call *call, st_arena *arena, st_rowset *set, st_occurrences *words, size_t count) {
  if ((int64_t)st_rowset_count(set) > set->last / FEW_PART) {
    st_rowset any = st_rowset_any(call, arena, words, count, set->last);
    if (st_ok(call)) st_rowset_combine(set, &any, ST_QUERY_AND);
    return;
  }
  for (size_t i = 0; i < set->words; i++)
    for (uint64_t left = set->bits[i]; left; left &= left - 1)
      if (!has_any(words, count, (int64_t)(i * BITS) + __builtin_ctzll(left))) set->bits[i] ^= left & -left;
  for (size_t i = 0; i < count; i++) st_words_check(call, &words[i]);
}

st_rowset st_rowset_any(st_call *call, st_arena *arena, const st_occurrences *words, size_t count, int64_t last) {
  st_rowset set = new_set(call, arena, last);
  for (size_t i = 0; i < count && st_ok(call); i++) add_term(call, &set, &words[i]);
  return set;
}

size_t st_rowset_count(const st_rowset *set) {
  size_t count = 0;
  for (size_t i = 0; i < set->words; i++) count += (size_t)__builtin_popcountll(set->bits[i]);
  return count;
}

st_ids st_rowset_list(st_call *call, st_arena *arena, const st_rowset *set) {
  st_ids list = {0};
  for (size_t i = 0; i < set->words && st_ok(call); i++)
    for (uint64_t left = set->bits[i]; left; left &= left - 1)
      st_ids_add(call, arena, &list, (int64_t)(i * BITS) + __builtin_ctzll(left));
  return list;
}
