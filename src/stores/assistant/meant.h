/* meant.h - rows that were found, the best of them. */
#ifndef ST_ASSISTANT_MEANT_H
#define ST_ASSISTANT_MEANT_H

#include "engine/call.h"

typedef struct st_found_row {
  const char *source;     /* one of st_sources */
  st_value id;            /* a text, in the call's memory */
  const char *created_at; /* likewise */
  double score;           /* greater is better */
  double similarity;      /* the cosine, if vector_rank is set */
  int keyword_rank, vector_rank; /* from 1; 0: it is not in that list */
} st_found_row;

/* The best so far, in order.  There are few of them, so that a sorted list is quick enough. */
typedef struct st_best {
  st_found_row *rows;
  int count, most;
} st_best;

void st_best_init(st_call *call, st_best *best, int most);

/* Offer a row of a source; id and created_at are texts.  Equal scores: the newest first, then by id and source. */
void st_best_offer(st_call *call, st_best *best, const char *source, const st_value *id, const st_value *created_at,
                   double score);
int st_meant_compare(const void *a, const void *b); /* for qsort(): the better one is less */
bool st_meant_same(const st_found_row *a, const st_found_row *b); /* the same row? */

/* A row as it was read, in the call's memory. */
st_found_row st_meant_of(st_call *call, const char *source, const st_value *id, const st_value *created_at);

/* The nearest rows of those sources (a list of names) to a vector; their scores are cosines (semantic.c). */
void st_meant_nearest(st_call *call, const st_value *embedding, const st_value *sources, st_best *best);

/* Is it among those names? */
bool st_meant_wanted(const st_value *sources, const char *source);

/* Fail the call unless the argument `embedding` has a direction: zeros are near to nothing. */
void st_meant_check(st_call *call, const st_value *embedding);

#endif
