/* idempotency.h - a call that is sent twice is done once.
**
** The key and the reply are written in the call's own transaction, into the table stele_idempotency
** of the same store, which is made when the first key arrives. */
#ifndef ST_IDEMPOTENCY_H
#define ST_IDEMPOTENCY_H

#include "engine/call.h"

/* True: the call was done before, and its reply is filled in.  Also true when this failed. */
bool st_idempotency_repeats(st_call *call);
/* Remember the reply under the call's key, if it has one. */
void st_idempotency_keep(st_call *call);

#endif
