/* node_words.c - nodes that have words.  See nodes.h.
**
** Every node that the filters let through is read and matched by our own code, so that both engines find the same and
** ranks are exact; the search table of the format cuts words in another way and can name no candidates without missing some. */
#include "search/reading.h"
#include "search/text.h"
#include "stores/capture/nodes.h"

#define SCRATCH_MAX (UINT64_C(1) << 30) /* of one node */

typedef struct wording {
  st_call *call;
  const st_wanted_words *words;
  st_reading reading;          /* for some of the words, by which nodes are ranked */
  st_matcher *asked, *phrase;  /* phrase: NULL if there can be none */
  st_arena scratch;
} wording;

bool st_words_read(st_call *call, const st_value *text, st_wanted_words *words) {
  if (!st_ok(call) || text->type != ST_TEXT) return false;
  words->query = st_query_parse(call->arena, text->bytes, text->length);
  words->any = words->query ? st_query_any(call->arena, words->query) : NULL;
  words->phrase = words->any ? st_query_phrase(call->arena, words->query) : NULL;
  if (!words->phrase) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return false;
  }
  if (words->query->remark[0]) st_note(call, "%s", words->query->remark);
  return words->query->root->kind != ST_QUERY_EMPTY;
}

static bool has_unwanted(const wording *w) {
  const st_query *query = w->words->query;
  for (int i = 0; i < query->term_count; i++)
    if (query->terms[i].negative && st_match_times(w->asked, &query->terms[i]) > 0) return true;
  return false;
}

/* Of a node that has some of the words: how well it fits; -1: not well enough. */
static int fit(const wording *w, const st_column *columns, int count) {
  int fit = ST_FIT_SOME;
  if (st_match(w->asked, columns, count))
    fit = w->phrase && st_match(w->phrase, columns, count) ? ST_FIT_PHRASE : ST_FIT_ALL;
  else if (has_unwanted(w))
    return -1;
  return fit < (int)w->words->least ? -1 : fit;
}

static st_column text_of(wording *w, const st_value *value, bool json) {
  st_column column = {NULL, 0};
  if (value->type != ST_TEXT) return column;
  column = (st_column){value->bytes, value->length};
  if (json) column.text = st_json_text(&w->scratch, value->bytes, value->length, &column.length);
  if (!column.text) st_fail(w->call, STELE_NOMEM, NULL, "out of memory");
  return column;
}

static void read_node(wording *w, st_rows *rows) {
  st_value id, content, embed_text, captured_at;
  st_rows_value(w->call, rows, ST_R_CAPTURE_SCAN_NODES_ID, &id);
  st_rows_value(w->call, rows, ST_R_CAPTURE_SCAN_NODES_CONTENT, &content);
  st_rows_value(w->call, rows, ST_R_CAPTURE_SCAN_NODES_EMBED_TEXT, &embed_text);
  st_rows_value(w->call, rows, ST_R_CAPTURE_SCAN_NODES_CAPTURED_AT, &captured_at);
  st_column columns[] = {text_of(w, &embed_text, false), text_of(w, &content, true)};
  const int count = sizeof columns / sizeof *columns;
  if (!st_ok(w->call)) return;
  st_candidate row = {.id = id.integer, .time = captured_at.type == ST_INT ? (double)captured_at.integer : 0};
  if (st_reading_take(&w->reading, row, columns, count)) st_reading_grade(&w->reading, fit(w, columns, count));
}

static void read_all(wording *w, const st_value *which) {
  st_rows rows;
  st_rows_stream(w->call, &rows, STELE_M_CAPTURE_SCAN_NODES, which);
  while (st_rows_next(w->call, &rows)) {
    read_node(w, &rows);
    st_arena_reset(&w->scratch);
  }
  st_rows_end(w->call, &rows);
}

void st_nodes_with(st_call *call, const st_value *which, const st_wanted_words *words, st_found *found) {
  wording w = {.call = call, .words = words};
  bool phrase = words->phrase->root->kind != ST_QUERY_EMPTY;
  *found = (st_found){0};
  w.asked = st_matcher_new(call->arena, words->query);
  w.phrase = phrase ? st_matcher_new(call->arena, words->phrase) : NULL;
  if (!w.asked || (phrase && !w.phrase)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_arena_init(&w.scratch, SCRATCH_MAX);
  st_reading_begin(&w.reading, call, words->any, words->order);
  if (st_ok(call)) read_all(&w, which);
  if (st_ok(call)) st_reading_rank(&w.reading, words->k, found);
  st_reading_end(&w.reading);
  st_arena_free(&w.scratch);
}
