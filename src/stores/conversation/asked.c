/* asked.c - see asked.h. */
#include "stores/conversation/asked.h"

#include <string.h>

#include "search/inside.h"
#include "search/remark.h"

st_query *st_asked_read(st_call *call, const st_value *text) {
  const st_query *parsed = st_query_parse(call->arena, text->bytes, text->length);
  if (!parsed) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return NULL;
  }
  st_query *query = st_call_alloc(call, sizeof *query);
  if (!query) return NULL;
  *query = *parsed;
  if (query->remark[0]) st_note(call, "%s", query->remark);
  return query;
}

void st_asked_note_inside(st_call *call, const st_query *query) {
  const st_term *terms[2];
  st_str quoted;
  if (st_query_terms(query, terms, 2) > 1 || terms[0]->count > 1) {
    st_note(call, "nothing has the words of the query: found inside of words");
    return;
  }
  st_str_init(&quoted, 1024);
  st_remark_quote(&quoted, terms[0]->tokens[0].text, terms[0]->tokens[0].length);
  st_note(call, "nothing has the word \"%s\": found inside of words", quoted.failed ? "" : quoted.text);
  st_str_free(&quoted);
}

void st_asked_find(st_call *call, st_query *query, const char *match, const st_filter *filter, st_order order, int k,
                   st_found *found) {
  bool substrings = strcmp(match, "substrings") == 0, possible = st_inside_is_possible(query);
  query->inside = possible && substrings;
  if (!possible && substrings && query->root->kind != ST_QUERY_EMPTY)
    st_note(call, "words of less than %d characters are not looked for inside of words", ST_INSIDE_CHARACTERS);
  st_find(call, query, filter, order, k, found);
  if (!st_ok(call) || found->count > 0 || query->quick || !st_inside_is_plain(query) || strcmp(match, "auto") != 0) return;
  query->inside = true;
  st_find(call, query, filter, order, k, found);
  if (st_ok(call) && found->count > 0) st_asked_note_inside(call, query);
}
