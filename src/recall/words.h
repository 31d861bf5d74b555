/* words.h - what the stores find by the words of a query, as one list. */
#ifndef ST_WORDS_H
#define ST_WORDS_H

#include "recall/found.h"
#include "search/query.h"

typedef struct st_recall_words {
  st_order order;
  int k;           /* at most so many of each store */
  st_query *query; /* what is looked for */
} st_recall_words;

void st_recall_words_read(st_call *call, st_recall_words *words, const st_value *text);

/* Ask every store for what has the words; by rank in no order, else newest or oldest first. */
void st_recall_words_find(st_asked_stores *asked, st_recall_words *words, st_recalled_list *out);
/* The same for what has some of them, and for what has them inside of words. */
void st_recall_words_any(st_asked_stores *asked, st_recall_words *words, st_recalled_list *out);
void st_recall_words_inside(st_asked_stores *asked, st_recall_words *words, st_recalled_list *out);

#endif
