/* asked.h - what a query asks for, found in the way that was asked for: whole words, parts of words, or
** the first and, if nothing has them, the second. */
#ifndef ST_CONVERSATION_ASKED_H
#define ST_CONVERSATION_ASKED_H

#include "search/find.h"

/* Read the query, and remark on what was read differently.  NULL: the call has failed. */
st_query *st_asked_read(st_call *call, const st_value *text);

/* Find up to k messages.  match: auto, words or substrings; query->inside tells at the end how it was. */
void st_asked_find(st_call *call, st_query *query, const char *match, const st_filter *filter, st_order order, int k,
                   st_found *found);

/* Remark that nothing had the words, but something has them inside of longer ones. */
void st_asked_note_inside(st_call *call, const st_query *query);

#endif
