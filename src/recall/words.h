/* words.h - what the stores find by the words of a query, as one list. */
#ifndef ST_WORDS_H
#define ST_WORDS_H

#include "recall/found.h"
#include "search/query.h"

typedef struct st_recall_words {
  const char *match; /* auto, all, any or substrings */
  st_order order;
  int k;           /* at most so many */
  st_query *query; /* what is looked for in the end */
} st_recall_words;

void st_recall_words_read(st_call *call, st_recall_words *words, const st_value *text);

/* Ask every store; the best k of all, in their order.  What is looked for instead of the query is noted. */
void st_recall_words_find(st_asked_stores *asked, st_recall_words *words, st_recalled_list *out);

/* Which of the words something has, in a line. */
st_value st_recall_words_why(st_call *call, st_matcher *matcher, const st_document *document);

#endif
