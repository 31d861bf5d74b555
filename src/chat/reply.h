/* reply.h - what an endpoint of models answers, read and checked. */
#ifndef ST_CHAT_REPLY_H
#define ST_CHAT_REPLY_H

#include "chat/chat.h"

/* {"choices":[{"message":{"content":...},"finish_reason":...}],"usage":{...}}.  Tokens that are not told are -1.  False: the problem
** says what is wrong. */
bool st_chat_reply_read(st_arena *arena, st_text reply, st_chat_answer *answer, st_problem *problem);

/* {"data":[{"id":...},...]}: does the list have this model?  "": the first that is not there to embed is taken.  Its name, in the
** arena, is *model.  False: the problem says which there are. */
bool st_chat_models_read(st_arena *arena, st_text reply, st_text *model, st_problem *problem);

#endif
