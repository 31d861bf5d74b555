/* idempotency.h - a call that is sent twice is done once.
**
** The key and the reply are written in the call's own transaction, into the table stele_idempotency
** of the same store, which is made when the first key arrives. */
#ifndef ST_IDEMPOTENCY_H
#define ST_IDEMPOTENCY_H

#include "engine/call.h"

#define ST_IDEMPOTENCY_TABLE                                                                        \
  "CREATE TABLE IF NOT EXISTS stele_idempotency ("                                                  \
  " method TEXT NOT NULL, key TEXT NOT NULL, reply TEXT NOT NULL, at DOUBLE PRECISION NOT NULL,"    \
  " PRIMARY KEY (method, key))"

/* The key that was sent with the call, or NULL. */
const st_value *st_idempotency_key(const st_call *call);

/* True: the call was done before, and its reply is filled in.  Also true when this failed. */
bool st_idempotency_repeats(st_call *call);
/* Remember the reply under the call's key, if it has one. */
void st_idempotency_keep(st_call *call);

/* Forget the replies and keys in which a text stands, of any method of the call's store: a call that is then sent again is done again. */
void st_idempotency_forget(st_call *call, const st_value *text);

#endif
