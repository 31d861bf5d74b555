/* sweep.h - deleting what a rule of retention says is due (sql/<store>/retention.sql), in many short transactions.
**
** Between them the store's turn is free: no writer waits longer than for one.  What is due is looked for while nobody waits, and
** looked at again in the transaction that deletes it.  Whoever stops a sweep, or dies, has deleted what he had deleted; the next one goes on. */
#ifndef ST_SWEEP_H
#define ST_SWEEP_H

#include "engine/call.h"

typedef struct st_swept {
  int64_t rows;           /* that are due, or were deleted */
  int64_t also;           /* what went with them */
  int64_t held;           /* that would be due, but are under a legal hold */
  st_value oldest, newest; /* times of those that are due, in the store's form; null: none is */
} st_swept;

/* How much is due, of what is from before a time (in the store's form).  narrow: absent, or what the rule is narrowed by. */
void st_sweep_count(st_call *call, const st_rule *rule, st_value before, st_value narrow, st_swept *out);

/* Delete it.  Outside a transaction.  The counts are of what was deleted; progress is told against `expected` rows, 0 where that is not
** known. */
void st_sweep(st_call *call, const st_rule *rule, st_value before, st_value narrow, int64_t expected, st_swept *out);

#endif
