/* why.c - see why.h. */
#include "recall/why.h"

#include <string.h>

#include "base/json.h"
#include "recall/shown.h"
#include "search/remark.h"

#define TERMS_SHOWN 8

/* ---- For programs ---- */

static void add_words(st_str *out, const st_recalled *row) {
  st_str_addf(out, "{\"rank\":%d,\"score\":", row->words_rank);
  st_json_add_real(out, row->words_score);
  st_str_addz(out, ",\"near\":");
  st_json_add_real(out, row->near);
  st_str_addc(out, '}');
}

static void add_meaning(st_str *out, const st_recalled *row) {
  st_str_addf(out, "{\"rank\":%d,\"similarity\":", row->meaning_rank);
  st_json_add_real(out, row->similarity);
  st_str_addc(out, '}');
}

st_value st_why_parts(st_call *call, const st_recalled *row) {
  st_str out;
  st_str_init(&out, 1 << 12);
  st_str_addz(&out, "{\"words\":");
  if (row->words_rank) add_words(&out, row);
  else st_str_addz(&out, "null");
  st_str_addz(&out, ",\"meaning\":");
  if (row->meaning_rank) add_meaning(&out, row);
  else st_str_addz(&out, "null");
  st_str_addz(&out, ",\"favour\":");
  st_json_add_real(&out, row->favour);
  st_str_addz(&out, ",\"recency\":");
  st_json_add_real(&out, row->recency);
  st_str_addc(&out, '}');
  return st_take(call, &out);
}

/* ---- For people ---- */

static void add_term(st_str *out, const st_term *term) {
  st_str_addz(out, out->length ? ", \"" : "has \"");
  for (int i = 0; i < term->count; i++) {
    const st_query_token *token = &term->tokens[i];
    const char *shown = token->typed && token->typed[0] ? token->typed : token->text;
    if (i) st_str_addc(out, ' ');
    st_remark_quote(out, shown, strlen(shown));
  }
  st_str_addz(out, term->prefix ? "*\"" : "\"");
}

static void add_terms(st_call *call, st_str *out, st_matcher *matcher, const st_document *document) {
  st_column columns[ST_SHOWN_COLUMNS];
  const st_query *query = st_matcher_query(matcher);
  int shown = 0;
  st_shown_columns(call, document, columns);
  st_match(matcher, columns, ST_SHOWN_COLUMNS);
  for (int i = 0; i < query->term_count && shown < TERMS_SHOWN; i++) {
    const st_term *term = &query->terms[i];
    if (term->negative || st_match_times(matcher, term) == 0) continue;
    add_term(out, term);
    shown++;
  }
}

st_value st_why(st_call *call, st_matcher *matcher, const st_recalled *row) {
  st_str out;
  st_str_init(&out, 1 << 16);
  add_terms(call, &out, matcher, &row->document);
  if (!out.length && row->near > 0) st_str_addz(&out, "next to what has the words");
  if (row->meaning_rank) st_str_addf(&out, "%snear in meaning (%.2f)", out.length ? "; " : "", row->similarity);
  if (!out.length) st_str_addz(&out, "has the words");
  return st_take(call, &out);
}
