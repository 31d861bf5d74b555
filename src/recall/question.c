/* question.c - see question.h. */
#include "recall/question.h"

#include "search/ranking.h"
#include "search/sources.h"

typedef struct asking {
  const st_question *question;
  const st_meant_list *meant;
  st_ranking found; /* by the store last asked */
} asking;

static void ask(st_asked_store *store, void *with) {
  asking *a = with;
  st_ranking_find(&store->part, a->question, &store->filter, a->meant->rows, a->meant->count, ST_RANKING_DEPTH, &a->found);
}

static st_recalled recalled(const st_call *part, int store, const st_ranked *ranked) {
  const st_document *document = &ranked->document;
  return (st_recalled){.store = store,
                       .kind = document->kind,
                       .id = document->id.bytes,
                       .time = st_seconds(part, &document->time),
                       .words_score = ranked->words,
                       .near = ranked->near,
                       .similarity = ranked->meaning,
                       .by_words = ranked->by_words,
                       .by_meaning = ranked->by_meaning,
                       .favour = ranked->favour,
                       .recency = 1,
                       .document = *document};
}

void st_recall_ask(st_asked_stores *asked, const st_question *question, const st_meant_lists *meant, st_recalled_list *out) {
  *out = (st_recalled_list){NULL, 0};
  for (int i = 0; i < asked->count; i++) {
    asking a = {.question = question, .meant = &meant->stores[i]};
    if (!st_asked_run(asked, i, ask, &a)) continue;
    st_recalled *rows = st_recalled_more(asked->call, out, a.found.count);
    for (int n = 0; rows && n < a.found.count; n++) rows[n] = recalled(&asked->stores[i].part, i, &a.found.hits[n]);
  }
}
