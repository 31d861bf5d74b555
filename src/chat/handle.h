/* handle.h - the language model of a handle: what its caller said, opened when it is first needed, and freed with it. */
#ifndef ST_CHAT_HANDLE_H
#define ST_CHAT_HANDLE_H

#include "chat/chat.h"
#include "engine/call.h"

#define ST_CHAT_PROMPT_TOKENS 12000 /* of a question, if nobody says otherwise */

/* NULL: there is none, and the call goes on.  `why` says it in words that a reply can carry: none is configured, or the one that is
** cannot be used.  It can be stopped as every call can: by stele_interrupt(), and by whoever is told of progress. */
st_chat *st_handle_chat(st_call *call, st_problem *why);

/* Was the call told to stop?  For whoever waits for a model in a way of their own. */
bool st_handle_chat_stopped(void *db);

/* Tokens that a question may have. */
size_t st_handle_prompt_tokens(const st_call *call);

/* Methods: sql/stele/chat.sql. */
void st_stele_chat_model(st_call *call);

#endif
