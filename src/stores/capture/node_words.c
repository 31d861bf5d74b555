/* node_words.c - nodes that have words.  See nodes.h.
**
** The search index of the store tells which fit best; these are read and matched by our own code, so that both engines rank
** them alike.  The search table of the format cuts words in another way and can name no candidates without missing some. */
#include <string.h>

#include "search/columns.h"
#include "search/reading.h"
#include "stores/capture/nodes.h"

#define SCRATCH_MAX (UINT64_C(1) << 30) /* of one node */

typedef struct wording {
  st_call *call;
  const st_wanted_words *words;
  st_reading reading;          /* for some of the words, by which nodes are ranked */
  st_matcher *asked, *phrase;  /* phrase: NULL if there can be none */
  int fits[ST_FITS];           /* nodes that fit so well */
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

static void take_node(void *to, st_rows *rows) {
  wording *w = to;
  st_value id, content, embed_text, captured_at, title = {.type = ST_NULL};
  st_column columns[ST_COLUMNS];
  st_rows_value(w->call, rows, ST_R_CAPTURE_SCAN_NODES_ID, &id);
  st_rows_value(w->call, rows, ST_R_CAPTURE_SCAN_NODES_CONTENT, &content);
  st_rows_value(w->call, rows, ST_R_CAPTURE_SCAN_NODES_EMBED_TEXT, &embed_text);
  st_rows_value(w->call, rows, ST_R_CAPTURE_SCAN_NODES_CAPTURED_AT, &captured_at);
  st_columns_read(w->call, &w->scratch, &embed_text, &title, &content, columns);
  st_candidate row = {.id = id.integer, .time = captured_at.type == ST_INT ? (double)captured_at.integer : 0};
  if (st_ok(w->call) && st_reading_take(&w->reading, row, columns, ST_COLUMNS)) {
    int well = fit(w, columns, ST_COLUMNS);
    st_reading_grade(&w->reading, well);
    if (well >= 0) w->fits[well]++;
  }
  st_arena_reset(&w->scratch);
}

/* ---- candidates ---- */

/* What the index is asked for, for nodes that fit so well or better. */
typedef struct step {
  st_fit fit;
  const st_query *query;
  bool all; /* it has told all of them */
} step;

/* By rank, those that fit best first: of the others there may be many that have a rare word often.  By time, one list. */
static int make_steps(const wording *w, step *steps) {
  const st_wanted_words *words = w->words;
  int count = 0;
  if (w->phrase && words->order == ST_ORDER_RANK) steps[count++] = (step){ST_FIT_PHRASE, words->phrase, false};
  if (words->least == ST_FIT_ALL || words->order == ST_ORDER_RANK) steps[count++] = (step){ST_FIT_ALL, words->query, false};
  if (words->least == ST_FIT_SOME) steps[count++] = (step){ST_FIT_SOME, words->any, false};
  return count;
}

/* Are the best k among those that were read?  What fits worse than k others is not wanted. */
static bool is_enough(const wording *w, const step *steps, int count) {
  int better = 0, above = ST_FITS;
  for (int i = 0; i < count; i++) {
    while (above > (int)steps[i].fit) better += w->fits[--above];
    if (better >= w->words->k) return true;
    if (!steps[i].all) return false;
  }
  return true;
}

static void read_candidates(wording *w, const st_value *which, step *steps, int count, int most) {
  st_node_candidates candidates = {.every = false};
  for (int i = 0; i < count && st_ok(w->call); i++)
    steps[i].all = st_nodes_candidates(w->call, which, steps[i].query, w->words->order, most, &candidates);
  memset(w->fits, 0, sizeof w->fits);
  st_nodes_read(w->call, which, &candidates, take_node, w);
}

/* How rare the words are among all nodes, not among those that have them. */
static void count_nodes(wording *w) {
  st_value greatest = {.type = ST_NULL};
  st_one(w->call, STELE_M_CAPTURE_GREATEST_NODE, NULL, &greatest);
  if (greatest.type == ST_INT && (double)greatest.integer > w->reading.total_rows) w->reading.total_rows = (double)greatest.integer;
}

/* Read as many candidates as it takes. */
static void find(wording *w, const st_value *which, st_found *found) {
  step steps[ST_FITS];
  int count = make_steps(w, steps), most = ST_NODES_FIRST;
  bool enough = false;
  while (!enough) {
    st_reading_begin(&w->reading, w->call, w->words->any, w->words->order);
    read_candidates(w, which, steps, count, most);
    enough = !st_ok(w->call) || is_enough(w, steps, count) || most >= ST_NODES_DEEPEST;
    if (!enough) st_reading_end(&w->reading);
    most *= ST_NODES_DEEPER;
  }
  count_nodes(w);
  if (st_ok(w->call)) st_reading_rank(&w->reading, w->words->k, found);
  st_reading_end(&w->reading);
}

void st_nodes_with(st_call *call, const st_value *which, const st_wanted_words *words, st_found *found) {
  wording w = {.call = call, .words = words};
  bool phrase = words->phrase->root->kind != ST_QUERY_EMPTY;
  *found = (st_found){0};
  w.asked = st_matcher_new(call->arena, words->query);
  w.phrase = phrase ? st_matcher_new(call->arena, words->phrase) : NULL;
  if (!w.asked || (phrase && !w.phrase)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_arena_init(&w.scratch, SCRATCH_MAX);
  if (st_ok(call)) find(&w, which, found);
  st_arena_free(&w.scratch);
}
