/* hits.h - what conversation.search_messages tells of the messages that were found. */
#ifndef ST_CONVERSATION_HITS_H
#define ST_CONVERSATION_HITS_H

#include "engine/call.h"
#include "search/query.h"

/* Put them into the reply, in this order, with a snippet and what was said before and after.  What is gone by now is left out. */
void st_hits_tell(st_call *call, const st_query *query, const int64_t *ids, int count);

#endif
