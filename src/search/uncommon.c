/* uncommon.c - see uncommon.h. */
#include "search/uncommon.h"

#include "search/index_file.h"
#include "search/vocabulary.h"

#define POSTINGS 60000 /* documents to look at, about, each once for every word it has */

typedef struct counted {
  const st_term *term;
  double rows;
} counted;

/* The terms with the rarest first; there are few. */
static bool count_terms(st_call *call, st_index *index, const st_query *query, counted *terms) {
  for (int i = 0; i < query->term_count; i++) {
    const st_query_token *token = &query->terms[i].tokens[0];
    int code = SQLITE_OK, at = i;
    counted one = {&query->terms[i], st_vocabulary_rows(index, token->text, token->length, &code)};
    if (code != SQLITE_OK) st_index_fail(call, index, code);
    for (; at > 0 && terms[at - 1].rows > one.rows; at--) terms[at] = terms[at - 1];
    terms[at] = one;
  }
  return st_ok(call);
}

static const st_query *any_of(st_call *call, const st_query *query, const counted *terms, int count) {
  st_query *made = st_call_alloc(call, sizeof *made);
  st_term *own = st_call_alloc(call, (size_t)count * sizeof *own);
  if (!made || !own) return NULL;
  for (int i = 0; i < count; i++) own[i] = *terms[i].term;
  *made = *query;
  made->terms = own;
  made->term_count = count;
  if (!st_query_join_any(call->arena, made)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return st_ok(call) ? made : NULL;
}

const st_query *st_uncommon(st_call *call, st_index *index, const st_query *query, int64_t *from) {
  counted terms[ST_QUERY_TERMS_MAX];
  double postings = 0;
  int count = 0;
  *from = 0;
  if (!count_terms(call, index, query, terms)) return NULL;
  while (count < query->term_count && (count == 0 || postings + terms[count].rows <= POSTINGS)) postings += terms[count++].rows;
  if (count == query->term_count && postings <= POSTINGS) return query;
  if (postings > POSTINGS) *from = index->marks.upto - (int64_t)((double)index->marks.upto * POSTINGS / postings);
  return any_of(call, query, terms, count);
}
