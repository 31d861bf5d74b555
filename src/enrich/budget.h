/* budget.h - how often a language model may be asked, in an hour and about one ticket.  It is counted in the store, so that all workers
** and processes share it: a request is counted before it is sent, with all that it may take, and put right afterwards.  A worker that dies
** in between has asked too little rather than too much. */
#ifndef ST_BUDGET_H
#define ST_BUDGET_H

#include "enrich/learned.h"

typedef struct st_budget {
  const char *model;
  int64_t calls_per_hour, tokens_per_hour; /* 0: no limit */
  int64_t calls_per_ticket;
  double prompt_price, answer_price; /* of a million tokens */
} st_budget;

/* What a request takes. */
typedef struct st_taken {
  int64_t prompt_tokens, answer_tokens;
  int64_t at; /* when it was counted */
} st_taken;

typedef enum st_grant {
  ST_GRANTED,
  ST_GRANT_HOUR,   /* the budget of the hour is used up */
  ST_GRANT_TICKET, /* it was asked about this ticket often enough */
  ST_GRANT_LOST,   /* the tickets are not held any more */
  ST_GRANT_FAILED  /* the call has failed */
} st_grant;

/* May it be asked about this bundle?  Then it is counted, and the worker's tickets are held from now on. */
st_grant st_budget_take(st_call *call, const st_budget *budget, const st_holding *by, const st_bundle *bundle, const st_taken *most);

/* What came of it. */
typedef enum st_spent {
  ST_SPENT,      /* this is what it took */
  ST_SPENT_BADLY, /* and nothing could be used */
  ST_UNSPENT     /* it was never asked */
} st_spent;

void st_budget_settle(st_call *call, const st_budget *budget, const st_holding *by, const st_bundle *bundle, const st_taken *most,
                      const st_taken *taken, st_spent how);

/* The worker's tickets are held from now on.  False: none is any more, or the call has failed. */
bool st_holding_extend(st_call *call, const st_holding *by);

#endif
