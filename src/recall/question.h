/* question.h - what answers a question best, in all stores: any of its words, in any of their forms (search/ranking.h). */
#ifndef ST_RECALL_QUESTION_H
#define ST_RECALL_QUESTION_H

#include "recall/found.h"
#include "search/question.h"

/* Ask every store; the best of all, at most k. */
void st_recall_ask(st_asked_stores *asked, const st_question *question, int k, st_recalled_list *out);

#endif
