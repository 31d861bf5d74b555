/* model.h - the enricher that asks a language model. */
#ifndef ST_ENRICH_MODEL_H
#define ST_ENRICH_MODEL_H

#include "chat/chat.h"
#include "enrich/budget.h"

typedef struct st_model_asking {
  st_call *call;
  st_chat *chat;
  st_budget budget;
  st_holding *by;      /* the worker's; its time goes on while the model thinks */
  size_t prompt_tokens; /* of a question, at most, */
  size_t answer_tokens; /* and of an answer */
  int64_t beat_ms;      /* it is said so often that the tickets are held */
  int64_t (*now)(void *worker);
  bool (*stopped)(void *worker);
  void *worker;
  /* of one bundle */
  const st_bundle *bundle;
  st_taken most;
  st_grant grant;
  bool counted; /* a request was, and is not put right yet */
  int64_t beat_at;
} st_model_asking;

/* An enricher that works with this, for as long as it is there. */
st_enricher st_model_enricher(st_model_asking *asking);

#endif
