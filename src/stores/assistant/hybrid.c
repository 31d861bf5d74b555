/* hybrid.c - assistant.hybrid_search: what has the words and what is near in meaning, joined by rank (fuse.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "registry_ids.h"
#include "search/fuse.h"
#include "search/reading.h"
#include "stores/assistant/assistant.h"
#include "stores/assistant/meant.h"
#include "stores/assistant/said.h"

#define CANDIDATES 50 /* of each list */
#define ROWS_MOST 20000 /* of each source are read for words, the newest */

/* ---- words ---- */

typedef struct wording {
  st_call *call;
  st_reading reading;
  st_found_row *rows; /* that have the words; st_hit.id is a place among these */
  size_t count, room;
} wording;

static void keep_row(wording *w, const char *source, const st_said *said) {
  if (w->count == w->room) {
    size_t room = 2 * w->room + 64;
    st_found_row *grown = st_call_alloc(w->call, room * sizeof *grown);
    if (!grown) return;
    if (w->count) memcpy(grown, w->rows, w->count * sizeof *grown);
    w->rows = grown;
    w->room = room;
  }
  w->rows[w->count++] = st_meant_of(w->call, source, &said->id, &said->created_at);
}

static void read_row(wording *w, const char *source, const st_said *said) {
  st_column columns[ST_SAID_PARTS] = {{NULL, 0}};
  for (int i = 0; i < ST_SAID_PARTS; i++)
    if (said->parts[i].type == ST_TEXT) columns[i] = (st_column){said->parts[i].bytes, said->parts[i].length};
  if (st_reading_take(&w->reading, (st_candidate){.id = (int64_t)w->count}, columns, ST_SAID_PARTS)) keep_row(w, source, said);
}

static void read_source(wording *w, const char *source) {
  st_said_which which = {.source = source, .limit = ROWS_MOST + 1};
  st_said said;
  st_rows rows;
  int64_t count = 0;
  st_said_start(w->call, &rows, &which);
  for (; st_rows_next(w->call, &rows) && count < ROWS_MOST; count++) {
    st_said_get(w->call, &rows, &said);
    read_row(w, source, &said);
  }
  if (count == ROWS_MOST && rows.variant && st_rows_next(w->call, &rows))
    st_note(w->call, "only the newest %d of %s were searched for the words", ROWS_MOST, source);
  st_rows_end(w->call, &rows);
}

/* The rows for one query, best first. */
static int find(st_call *call, const st_query *query, const st_value *sources, st_found_row *out) {
  wording w = {.call = call};
  st_found found = {0};
  st_reading_begin(&w.reading, call, query, ST_ORDER_RANK);
  for (int i = 0; i < ST_SOURCES && st_ok(call); i++)
    if (st_meant_wanted(sources, st_sources[i])) read_source(&w, st_sources[i]);
  if (st_ok(call)) st_reading_rank(&w.reading, CANDIDATES, &found);
  st_reading_end(&w.reading);
  for (int i = 0; i < found.count; i++) {
    out[i] = w.rows[found.hits[i].id];
    out[i].keyword_rank = i + 1;
  }
  return found.count;
}

/* Those that have all the words, or else some of them. */
static int find_words(st_call *call, const st_value *sources, st_found_row *out) {
  const st_value *text = &call->args[ST_P_ASSISTANT_HYBRID_SEARCH_QUERY];
  const st_term *terms[2];
  const st_query *query = st_ok(call) ? st_query_parse(call->arena, text->bytes, text->length) : NULL;
  if (query && query->remark[0]) st_note(call, "%s", query->remark);
  if (query && query->root->kind == ST_QUERY_EMPTY) return 0;
  int count = query ? find(call, query, sources, out) : 0;
  if (query && (count > 0 || st_query_terms(query, terms, 2) < 2)) return count;
  const st_query *any = query ? st_query_any(call->arena, query) : NULL;
  if (!any) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return 0;
  }
  count = find(call, any, sources, out);
  if (count > 0) st_note(call, "nothing has all the words: these have some of them");
  return count;
}

/* ---- both ---- */

typedef struct fused {
  st_found_row rows[2 * CANDIDATES];
  int count;
} fused;

static void add_words(fused *f, const st_found_row *words, int count) {
  for (int i = 0; i < count; i++) {
    int at = 0;
    while (at < f->count && !st_meant_same(&f->rows[at], &words[i])) at++;
    if (at == f->count) f->rows[f->count++] = words[i];
    f->rows[at].keyword_rank = words[i].keyword_rank;
  }
}

/* 1 now, half after each half-life. */
static double recency(const st_found_row *row, st_micros now, double half_life) {
  st_micros created;
  if (!st_time_parse(row->created_at, strlen(row->created_at), &created)) return 0;
  double age = now > created ? (double)(now - created) / 1e6 : 0;
  return exp2(-age / half_life);
}

/* When ages are counted from, and how fast; half_life 0: they do not count. */
typedef struct aging {
  st_micros now;
  double half_life;
} aging;

static void score(fused *f, const aging *a) {
  for (int i = 0; i < f->count; i++) {
    st_found_row *row = &f->rows[i];
    row->score = st_fuse(row->keyword_rank, row->vector_rank);
    if (a->half_life > 0) row->score *= (1 + recency(row, a->now, a->half_life)) / 2;
  }
  qsort(f->rows, (size_t)f->count, sizeof *f->rows, st_meant_compare);
}

static void tell(st_call *call, const st_found_row *row, const aging *a) {
  st_said said;
  if (!st_said_find(call, row->source, &row->id, 0, &said)) return; /* it was deleted a moment ago */
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_ASSISTANT_HYBRID_SEARCH_SOURCE] = st_textz(row->source);
  reply[ST_R_ASSISTANT_HYBRID_SEARCH_ID] = said.id;
  reply[ST_R_ASSISTANT_HYBRID_SEARCH_TITLE] = st_said_title(call, row->source, &said);
  reply[ST_R_ASSISTANT_HYBRID_SEARCH_SNIPPET] = st_said_snippet(call, &said);
  reply[ST_R_ASSISTANT_HYBRID_SEARCH_SCORE] = st_real(row->score);
  if (row->keyword_rank) reply[ST_R_ASSISTANT_HYBRID_SEARCH_KEYWORD_RANK] = st_int(row->keyword_rank);
  if (row->vector_rank) {
    reply[ST_R_ASSISTANT_HYBRID_SEARCH_VECTOR_RANK] = st_int(row->vector_rank);
    reply[ST_R_ASSISTANT_HYBRID_SEARCH_SIMILARITY] = st_real(row->similarity > 0 ? row->similarity : 0);
  }
  if (a->half_life > 0) reply[ST_R_ASSISTANT_HYBRID_SEARCH_RECENCY] = st_real(recency(row, a->now, a->half_life));
  reply[ST_R_ASSISTANT_HYBRID_SEARCH_CREATED_AT] = said.created_at;
}

void st_assistant_hybrid_search(st_call *call) {
  const st_value *embedding = &call->args[ST_P_ASSISTANT_HYBRID_SEARCH_EMBEDDING];
  const st_value *sources = &call->args[ST_P_ASSISTANT_HYBRID_SEARCH_SOURCES];
  const st_value *now = &call->args[ST_P_ASSISTANT_HYBRID_SEARCH_NOW];
  int limit = (int)st_arg_int(call, ST_P_ASSISTANT_HYBRID_SEARCH_LIMIT);
  aging a = {0, st_arg_real(call, ST_P_ASSISTANT_HYBRID_SEARCH_HALF_LIFE)};
  fused *f = st_call_alloc(call, sizeof *f);
  st_found_row *words = st_call_alloc(call, CANDIDATES * sizeof *words);
  if (!st_ok(call)) return;
  if (!st_time_parse(now->bytes, now->length, &a.now)) a.now = st_time_now();
  if (embedding->type == ST_BLOB) {
    st_best best = {f->rows, 0, CANDIDATES};
    st_meant_check(call, embedding);
    st_meant_nearest(call, embedding, sources, &best);
    f->count = best.count;
  }
  add_words(f, words, find_words(call, sources, words));
  if (st_ok(call)) score(f, &a);
  for (int i = 0; i < f->count && i < limit && st_ok(call); i++) tell(call, &f->rows[i], &a);
}
