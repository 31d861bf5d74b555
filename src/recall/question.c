/* question.c - see question.h. */
#include "recall/question.h"

#include <string.h>

#include "search/ranking.h"
#include "search/sources.h"

typedef struct asking {
  const st_question *question;
  int k;
  st_ranking found; /* by the store last asked */
} asking;

static void ask(st_asked_store *store, void *with) {
  asking *a = with;
  st_ranking_find(&store->part, a->question, &store->filter, NULL, 0, a->k, &a->found);
}

/* What was found so far, each with its store. */
typedef struct answers {
  st_ranked *ranked;
  st_recalled *rows; /* of the same places, before they are in one order */
  int count;
} answers;

static void add(st_asked_stores *asked, int store, const st_ranking *found, answers *to) {
  st_call *call = asked->call;
  size_t count = (size_t)to->count + (size_t)found->count;
  st_ranked *ranked = st_call_alloc(call, (count + 1) * sizeof *ranked);
  st_recalled *rows = st_call_alloc(call, (count + 1) * sizeof *rows);
  if (!st_ok(call)) return;
  if (to->count) memcpy(ranked, to->ranked, (size_t)to->count * sizeof *ranked);
  if (found->count) memcpy(ranked + to->count, found->hits, (size_t)found->count * sizeof *ranked);
  *to = (answers){ranked, rows, (int)count};
  (void)store;
}
