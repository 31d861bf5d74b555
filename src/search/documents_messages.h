/* documents_messages.h - what documents.h does for the conversation store, whose messages have their own search. */
#ifndef ST_DOCUMENTS_MESSAGES_H
#define ST_DOCUMENTS_MESSAGES_H

#include "search/documents.h"
#include "search/find.h"

/* Both answer hits whose id is the message's.  The filter's kinds were looked at. */
void st_messages_find(st_call *call, const st_query *query, const st_document_filter *filter, st_order order, int k,
                      st_found *found);
void st_messages_list(st_call *call, const st_document_filter *filter, st_order order, int k, st_found *found);

/* The same filter for the index file of messages: projects as the sessions that are of them. */
st_filter st_messages_filter(st_call *call, const st_document_filter *filter);

/* Are the search tables in the store itself, kept up to date by every write? */
bool st_messages_are_inside(st_call *call);

void st_messages_index(st_call *call, bool rebuild, int64_t *indexed);

#endif
