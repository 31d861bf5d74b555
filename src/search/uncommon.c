/* uncommon.c - see uncommon.h. */
#include "search/uncommon.h"

#include <string.h>

#include "search/index_file.h"
#include "search/vocabulary.h"

#define POSTINGS 20000 /* documents to look at, about, each once for every word it has */

/* Has any document the term? */
static int look_up(sqlite3_stmt *stmt, const st_term *term, bool *there) {
  char word[ST_TOKEN_MAX + 3];
  sqlite3_snprintf(sizeof word, word, "\"%s\"", term->tokens[0].text);
  sqlite3_bind_text(stmt, 1, word, (int)strlen(word), SQLITE_STATIC);
  int code = sqlite3_step(stmt);
  *there = code == SQLITE_ROW;
  sqlite3_reset(stmt);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Leave out what no document has, and find the vocabulary's count of the others. */
static int count_terms(st_index *index, const st_query *query, st_uncommon *plan, bool *there) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(index->db, "SELECT rowid FROM stele_text WHERE stele_text MATCH ?1 LIMIT 1", -1, &stmt, NULL);
  for (int i = 0; i < query->term_count && code == SQLITE_OK; i++) {
    const st_query_token *token = &query->terms[i].tokens[0];
    code = look_up(stmt, &query->terms[i], &there[i]);
    if (code == SQLITE_OK && there[i]) plan->rows[i] = st_vocabulary_rows(index, token->text, token->length, &code);
  }
  sqlite3_finalize(stmt);
  return code;
}

/* The rarest of those that are there and not taken yet; -1: there is none. */
static int rarest(const st_query *query, const st_uncommon *plan, const bool *there) {
  int found = -1;
  for (int i = 0; i < query->term_count; i++)
    if (there[i] && plan->place[i] < 0 && (found < 0 || plan->rows[i] < plan->rows[found])) found = i;
  return found;
}

/* Take the rarest words, as long as that is not too much to look at. */
static void choose(const st_index *index, const st_query *query, st_uncommon *plan, const bool *there, st_query *chosen) {
  double postings = 0;
  for (int i = rarest(query, plan, there); i >= 0; i = rarest(query, plan, there)) {
    if (chosen->term_count > 0 && postings + plan->rows[i] > POSTINGS) break;
    postings += plan->rows[i];
    plan->place[i] = chosen->term_count;
    chosen->terms[chosen->term_count++] = query->terms[i];
  }
  if (postings > POSTINGS) plan->from = index->marks.upto - (int64_t)((double)index->marks.upto * POSTINGS / postings);
}

bool st_uncommon_plan(st_call *call, st_index *index, const st_query *query, st_uncommon *plan) {
  bool there[ST_QUERY_TERMS_MAX] = {false};
  st_query *chosen = st_call_alloc(call, sizeof *chosen);
  st_term *terms = st_call_alloc(call, ST_QUERY_TERMS_MAX * sizeof *terms);
  *plan = (st_uncommon){.query = chosen};
  for (int i = 0; i < ST_QUERY_TERMS_MAX; i++) plan->place[i] = -1;
  if (!st_ok(call)) return false;
  int code = count_terms(index, query, plan, there);
  if (code != SQLITE_OK) st_index_fail(call, index, code);
  *chosen = (st_query){.terms = terms, .common_may_go = true, .remark = ""};
  choose(index, query, plan, there, chosen);
  if (!st_query_join_any(call->arena, chosen)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return st_ok(call);
}
