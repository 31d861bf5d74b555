/* rarity.c - see rarity.h. */
#include "search/rarity.h"

#include <math.h>

#include "search/index_file.h"
#include "search/vocabulary.h"

/* The documents that have a word; what was not counted in the search is in the vocabulary, or rare. */
static double rows_of(st_call *call, st_index *index, const st_term *term) {
  int code = SQLITE_OK;
  double rows = st_frequency_get(&index->frequencies, index->db, term, index->total_rows);
  if (rows < 0) rows = st_vocabulary_rows(index, term->tokens[0].text, term->tokens[0].length, &code);
  if (code != SQLITE_OK) st_index_fail(call, index, code);
  return rows;
}

/* One that has two forms of a word is counted twice: there are few. */
static double rows_of_group(st_call *call, st_index *index, const st_question *question, const st_group *group) {
  double rows = 0;
  for (int i = 0; i < group->count && st_ok(call); i++) rows += rows_of(call, index, &question->query->terms[group->first + i]);
  return rows;
}

void st_rarity(st_call *call, const st_question *question, const int *with, int among, double *out) {
  st_index *index = call->store->attached;
  for (int i = 0; i < question->ngroups && st_ok(call); i++) {
    double rows = index ? rows_of_group(call, index, question, &question->groups[i]) : with[i];
    double total = index ? index->total_rows : among;
    if (rows < with[i]) rows = with[i]; /* not indexed yet */
    if (rows > total) total = rows;
    out[i] = question->groups[i].weight * log(1 + (total - rows + 0.5) / (rows + 0.5));
  }
}
