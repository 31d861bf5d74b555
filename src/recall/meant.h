/* meant.h - what the stores find by the meaning of a query: the nearest to its embedding. */
#ifndef ST_MEANT_H
#define ST_MEANT_H

#include "recall/asked.h"
#include "search/ranking.h"

/* Of one store, the nearest first. */
typedef struct st_meant_list {
  st_likely *rows;
  int count;
} st_meant_list;

typedef struct st_meant_lists {
  st_meant_list *stores; /* one for each that is asked */
  const char *problem;   /* why nothing was looked for by meaning; NULL: it was */
} st_meant_lists;

/* Ask every store.  The vector is the caller's, or made of the text by the embedder that is configured.  Without either,
** or where nothing is embedded, the lists are empty and the problem says why. */
void st_meant_find(st_asked_stores *asked, const st_value *vector, const st_value *text, int k, st_meant_lists *out);

#endif
