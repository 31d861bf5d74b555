/* retry.h - running a transaction again that failed through no fault of its own: another writer was in its way, or the
** server was lost before the commit was sent.  Nothing of it was done. */
#ifndef ST_RETRY_H
#define ST_RETRY_H

#include "engine/call.h"

/* The tries of one caller, who waits as long as its handle says. */
typedef struct st_retry {
  stele_db *db;
  int64_t deadline_ms;
  unsigned tries;
} st_retry;

st_retry st_retry_begin(stele_db *db);

/* The connection's last failure had such a reason.  True, after a pause: there is time for another try. */
bool st_retry_after(st_retry *retry, st_conn *conn);

/* The same for a call, whose failure is forgotten then.  False: it did not fail, or not so, or time is up. */
bool st_retry_call(st_retry *retry, st_call *call);

/* Does such a failure leave nothing behind? */
bool st_retry_fits(stele_status status);

#endif
