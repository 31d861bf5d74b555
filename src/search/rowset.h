/* rowset.h - rows by their numbers: which of them a query finds, where its terms are lists of rows (terms.h). */
#ifndef ST_SEARCH_ROWSET_H
#define ST_SEARCH_ROWSET_H

#include "search/candidates.h"
#include "search/terms.h"

/* Bits, one for each number from 0 to `last`. */
typedef struct st_rowset {
  uint64_t *bits;
  size_t words;
  int64_t last;
} st_rowset;

/* The rows that a part of a query finds, in the arena; the terms are left as they are. */
st_rowset st_rowset_find(st_call *call, st_arena *arena, const st_query_node *node, const st_terms *terms, int64_t last);

/* Leave out those that are not in a list, unless it is of all, and those below a number. */
void st_rowset_keep(st_call *call, st_arena *arena, st_rowset *set, const st_ids *only, int64_t from);

/* Those of a list. */
st_rowset st_rowset_of(st_call *call, st_arena *arena, const st_ids *ids, int64_t last);

/* Leave those that have some of some words, which are read. */
void st_rowset_keep_any(st_call *call, st_arena *arena, st_rowset *set, st_occurrences *words, size_t count);

/* Those that have some of some words. */
st_rowset st_rowset_any(st_call *call, st_arena *arena, const st_occurrences *words, size_t count, int64_t last);

/* Of the left set what is in both, in one of them (OR), or not in the right one (NOT). */
void st_rowset_combine(st_rowset *left, const st_rowset *right, st_query_kind kind);

size_t st_rowset_count(const st_rowset *set);

/* As a list. */
st_ids st_rowset_list(st_call *call, st_arena *arena, const st_rowset *set);

#endif
