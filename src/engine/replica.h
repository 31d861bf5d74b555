/* replica.h - reading from a standby of the PostgreSQL server.
**
** A store whose address says reads=replica has two connections: one to the primary, and one to a standby for methods that only
** read, outside a transaction.  A read is never older than what this process has written: after a commit the process notes how
** far the primary's log went, and until the standby has replayed that far, reads go to the primary.  They do so, too, while
** no standby can be reached or one refuses. */
#ifndef ST_REPLICA_H
#define ST_REPLICA_H

#include "engine/handle.h"

/* The store's second connection, not made yet; NULL: out of memory. */
st_opened *st_replica_new(st_opened *primary);
void st_replica_free(st_opened *replica);

/* The replica that the call may read from, connected and current; NULL: the primary is to be used. */
st_opened *st_replica_for(const st_call *call);

/* The call failed at a replica.  True: that was the replica's fault; it is left alone for a while, the failure is forgotten,
** and the primary is to be asked. */
bool st_replica_refused(st_call *call);

#endif
