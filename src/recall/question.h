/* question.h - what answers a question best, in all stores: any of its words, in any of their forms, and what is near to it
** in meaning (search/ranking.h). */
#ifndef ST_RECALL_QUESTION_H
#define ST_RECALL_QUESTION_H

#include "recall/found.h"
#include "recall/meant.h"
#include "search/question.h"

/* Ask every store; all that they found, in no order. */
void st_recall_ask(st_asked_stores *asked, const st_question *question, const st_meant_lists *meant, st_recalled_list *out);

#endif
