/* search.c - planner.search_facts.
**
** The search table that the format has tells which facts may match, where it can; each of those is read and
** matched by our own code, so that both engines find the same. */
#include <string.h>

#include "registry_ids.h"
#include "search/candidates.h"
#include "search/reading.h"
#include "stores/planner/planner.h"

#define MATCH_MAX (1u << 20)

static const st_texts FACTS = {
    STELE_M_PLANNER_FIND_FACT_TEXTS,
    ST_R_PLANNER_FIND_FACT_TEXTS_ID,
    ST_TEXTS_NO_TIME,
    1,
    {{ST_R_PLANNER_FIND_FACT_TEXTS_CONTENT, false}},
};

static bool is_ascii_word(const st_query_token *token) {
  if (token->kind != ST_TOKEN_WORD) return false;
  for (size_t i = 0; i < token->length; i++)
    if ((unsigned char)token->text[i] >= 0x80) return false;
  return true;
}

/* Can the search table be asked?  It cuts only words of ASCII as we do. */
static bool is_ascii(const st_query *query) {
  for (int i = 0; i < query->term_count; i++)
    for (int j = 0; j < query->terms[i].count && !query->terms[i].negative; j++)
      if (!is_ascii_word(&query->terms[i].tokens[j])) return false;
  return true;
}

static void add_candidates(st_call *call, const st_planner_viewer *viewer, const st_str *match, st_reading *r) {
  st_value args[ST_P_PLANNER_FIND_FACTS_MATCH + 1] = {{0}}, id, candidate;
  st_rows rows;
  args[ST_P_PLANNER_FIND_FACTS_SESSION] = viewer->session;
  args[ST_P_PLANNER_FIND_FACTS_IS_ADMIN] = viewer->is_admin;
  args[ST_P_PLANNER_FIND_FACTS_CATEGORY] = viewer->category;
  if (match->length) args[ST_P_PLANNER_FIND_FACTS_MATCH] = st_textz(match->text);
  st_rows_start(call, &rows, STELE_M_PLANNER_FIND_FACTS, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_PLANNER_FIND_FACTS_ID, &id);
    st_rows_value(call, &rows, ST_R_PLANNER_FIND_FACTS_CANDIDATE, &candidate);
    r->total_rows++;
    if (candidate.integer) st_reading_add(r, id.integer, 0);
  }
  st_rows_end(call, &rows);
}

static void find(st_call *call, const st_query *query, const st_planner_viewer *viewer, int limit, st_found *found) {
  st_reading r;
  st_str match;
  *found = (st_found){0};
  st_str_init(&match, MATCH_MAX);
  if (is_ascii(query)) st_candidates_words(query, &match);
  if (match.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_reading_begin(&r, call, query, ST_ORDER_RANK);
  r.texts = &FACTS;
  if (st_ok(call)) add_candidates(call, viewer, &match, &r);
  if (st_ok(call)) st_reading_match(&r, (size_t)limit);
  if (st_ok(call)) st_reading_rank(&r, limit, found);
  st_reading_end(&r);
  st_str_free(&match);
}

/* Those with some of the words. */
static void find_any(st_call *call, const st_query *query, const st_planner_viewer *viewer, int limit,
                     st_found *found) {
  const st_query *any = st_query_any(call->arena, query);
  if (any)
    find(call, any, viewer, limit, found);
  else
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
}

void st_planner_find_facts(st_call *call, const st_value *text, const char *match, const st_planner_viewer *viewer,
                           int limit, st_found *found) {
  const st_term *terms[2];
  *found = (st_found){0};
  const st_query *query = st_ok(call) ? st_query_parse(call->arena, text->bytes, text->length) : NULL;
  if (!query) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  bool any = strcmp(match, "any") == 0, empty = query->root->kind == ST_QUERY_EMPTY;
  if (query->remark[0] && (!any || empty)) st_note(call, "%s", query->remark);
  if (empty) return;
  if (!any) find(call, query, viewer, limit, found);
  if (!any && (found->count > 0 || strcmp(match, "auto") != 0 || st_query_terms(query, terms, 2) < 2)) return;
  find_any(call, query, viewer, limit, found);
  if (!any && found->count > 0) st_note(call, "no fact has all the words: these have some of them");
}

/* The columns of get_fact, and the score behind them. */
static void add_fact(st_call *call, const st_planner_viewer *viewer, const st_hit *hit) {
  enum { SCORE = ST_R_PLANNER_SEARCH_FACTS_SCORE };
  st_value args[3], fact[SCORE];
  args[ST_P_PLANNER_GET_FACT_ID] = st_int(hit->id);
  args[ST_P_PLANNER_GET_FACT_SESSION] = viewer->session;
  args[ST_P_PLANNER_GET_FACT_IS_ADMIN] = viewer->is_admin;
  if (!st_one(call, STELE_M_PLANNER_GET_FACT, args, fact)) return; /* it was deleted a moment ago */
  st_value *reply = st_reply(call);
  if (!reply) return;
  memcpy(reply, fact, sizeof fact);
  reply[SCORE] = st_real(hit->score);
}
_Static_assert((int)ST_R_PLANNER_GET_FACT_SUPERSEDED_BY + 1 == (int)ST_R_PLANNER_SEARCH_FACTS_SCORE,
               "search_facts tells the columns of get_fact, and the score");

void st_planner_search_facts(st_call *call) {
  st_planner_viewer viewer = {call->args[ST_P_PLANNER_SEARCH_FACTS_SESSION],
                              call->args[ST_P_PLANNER_SEARCH_FACTS_IS_ADMIN],
                              call->args[ST_P_PLANNER_SEARCH_FACTS_CATEGORY]};
  const char *match = st_arg_text(call, ST_P_PLANNER_SEARCH_FACTS_MATCH);
  int offset = (int)st_arg_int(call, ST_P_PLANNER_SEARCH_FACTS_OFFSET);
  int end = offset + (int)st_arg_int(call, ST_P_PLANNER_SEARCH_FACTS_LIMIT);
  st_found found;
  st_planner_find_facts(call, &call->args[ST_P_PLANNER_SEARCH_FACTS_QUERY], match, &viewer, end, &found);
  for (int i = offset; i < found.count && st_ok(call); i++) add_fact(call, &viewer, &found.hits[i]);
}
