/* words.c - see words.h. */
#include "recall/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recall/inside.h"
#include "recall/measure.h"
#include "search/sources.h"
#include "stores/conversation/asked.h"

#define LEAST 1e-9 /* of what was found at all */

void st_recall_words_read(st_call *call, st_recall_words *words, const st_value *text) { words->query = st_asked_read(call, text); }

/* ---- Asking every store ---- */

typedef struct looking {
  const st_recall_words *words;
  st_documents_found found; /* by the store last asked */
} looking;

static void look(st_asked_store *store, void *with) {
  looking *l = with;
  const st_recall_words *w = l->words;
  if (w->query->inside && !st_sources_numbered(store->part.store->store))
    st_recall_inside_find(store, w->query, w->order, w->k, &l->found);
  else
    st_documents_find(&store->part, w->query, &store->filter, w->order, w->k, &l->found);
}

/* Newest first; the oldest are those backwards, but of one time they stay as they are. */
static int by_newest(const void *a, const void *b) {
  const st_recalled *one = a, *other = b;
  if (one->time != other->time) return one->time > other->time ? -1 : 1;
  return one->store != other->store ? one->store - other->store : one->words_rank - other->words_rank;
}

static int by_oldest(const void *a, const void *b) {
  const st_recalled *one = a, *other = b;
  return one->time != other->time ? by_newest(b, a) : by_newest(a, b);
}

static void add(st_call *call, const looking *l, int store, st_recalled_list *out) {
  st_recalled *rows = st_recalled_more(call, out, l->found.count);
  for (int i = 0; rows && i < l->found.count; i++) {
    const st_document_hit *hit = &l->found.hits[i];
    rows[i] = (st_recalled){.store = store, .kind = hit->kind, .id = hit->id, .time = hit->time, .words_rank = i + 1,
                            .words_score = fmax(hit->score, LEAST), .favour = 1, .recency = 1};
  }
}

static void ask(st_asked_stores *asked, const st_recall_words *words, st_recalled_list *out) {
  int answered = 0;
  *out = (st_recalled_list){NULL, 0};
  for (int i = 0; i < asked->count; i++) {
    looking l = {.words = words};
    if (!st_asked_run(asked, i, look, &l) || !l.found.count) continue;
    add(asked->call, &l, i, out);
    answered++;
  }
  if (!st_ok(asked->call) || !out->count) return;
  if (words->order != ST_ORDER_RANK)
    qsort(out->rows, (size_t)out->count, sizeof *out->rows, words->order == ST_ORDER_NEWEST ? by_newest : by_oldest);
  else if (answered > 1)
    st_measure(asked, words->query, out);
  for (int i = 0; i < out->count; i++) out->rows[i].by_words = out->rows[i].words_score;
}

/* ---- In the way that was asked for ---- */

void st_recall_words_inside(st_asked_stores *asked, st_recall_words *words, st_recalled_list *out) {
  words->query->inside = true;
  ask(asked, words, out);
}

void st_recall_words_any(st_asked_stores *asked, st_recall_words *words, st_recalled_list *out) {
  const st_query *any = st_query_any(asked->call->arena, words->query);
  if (any) *words->query = *any;
  else st_fail(asked->call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(asked->call)) ask(asked, words, out);
}

void st_recall_words_find(st_asked_stores *asked, st_recall_words *words, st_recalled_list *out) {
  *out = (st_recalled_list){NULL, 0};
  if (words->query->root->kind != ST_QUERY_EMPTY) ask(asked, words, out);
}
