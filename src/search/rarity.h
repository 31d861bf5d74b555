/* rarity.h - how much the words of a question say: the fewer documents have one, the more. */
#ifndef ST_RARITY_H
#define ST_RARITY_H

#include "engine/call.h"
#include "search/question.h"

/* What each group says, greater is more, never less than 0.  Known from the store's index where there is one, after a
** search for the question's query; else from documents that were found: `among` of them have each group in `with`. */
void st_rarity(st_call *call, const st_question *question, const int *with, int among, double *out);

#endif
