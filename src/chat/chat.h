/* chat.h - questions to a language model behind an OpenAI-compatible endpoint: POST .../v1/chat/completions.
**
** One question at a time.  What the model says is a text like any other: whoever asked checks it. */
#ifndef ST_CHAT_H
#define ST_CHAT_H

#include "base/arena.h"
#include "http/endpoint.h"

typedef struct st_chat st_chat;

/* The texts are copied. */
typedef struct st_chat_config {
  const char *endpoint;
  const char *model; /* NULL or "": the first that the endpoint lists and that is not there to embed */
  const char *key;   /* NULL: none */
  int timeout_ms;    /* until the whole answer is there; 0: 5 minutes */
  int connect_ms;    /* 0: 10 s */
  int retries;       /* so often it is asked again where it is busy or out of order; 0: 3; below: never */
  int answer_tokens; /* an answer has at most so many; 0: 4,096 */
} st_chat_config;

typedef struct st_chat_message {
  const char *role; /* "system", "user" or "assistant" */
  st_text text;
} st_chat_message;

typedef struct st_chat_answer {
  st_text text;              /* in the arena, UTF-8 */
  bool cut;                  /* the model was not done when it had said as much as it may */
  int64_t prompt_tokens;     /* as the endpoint counts them; */
  int64_t completion_tokens; /* estimated, if it does not */
} st_chat_answer;

/* Nothing is asked yet.  NULL: the problem says why. */
st_chat *st_chat_open(const st_chat_config *config, st_problem *problem);
void st_chat_close(st_chat *chat);

/* For whom it is asked from now on: who can stop it, who may forbid a request and is told of each. */
void st_chat_for(st_chat *chat, const st_endpoint_waiting *waiting);

/* Is the endpoint there, and does it know the model?  One that does not list its models is taken to know it. */
st_endpoint_end st_chat_check(st_chat *chat, st_problem *problem);

/* Which model answers; "": none was said, and the endpoint was not asked yet (st_chat_check). */
const char *st_chat_model(const st_chat *chat);

/* Tokens that an answer may have. */
size_t st_chat_answer_tokens(const st_chat *chat);

/* What the model says to the messages. */
st_endpoint_end st_chat_ask(st_chat *chat, st_arena *arena, const st_chat_message *messages, size_t count, st_chat_answer *answer,
                            st_problem *problem);

#endif
