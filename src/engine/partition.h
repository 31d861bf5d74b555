/* partition.h - tables that PostgreSQL cuts into partitions by time (`@partitioned by` of a rule of retention), so that what is due goes
** a partition at a time: DROP TABLE takes as long for a million rows as for one, and leaves nothing to be vacuumed.
**
** Partitions are made ahead.  What none of them takes is in the table's rest, so that no write fails.  Where rows came to be in the rest that a
** partition should have got, because nobody made one in time or the table was whole until now, the rest itself becomes that partition, and
** gets a successor: no row is moved but those of a time that is yet to come. */
#ifndef ST_PARTITION_H
#define ST_PARTITION_H

#include "engine/call.h"

/* Is the rule's table cut, in this store?  On SQLite none is. */
bool st_partitions_apply(const st_call *store, const st_rule *rule);

/* Cut the table if it is whole, and make what the coming days need.  Outside a transaction.  What cannot be done now is left to the next
** time: the call does not fail for it. */
void st_partitions_make(st_call *store, const st_rule *rule, double now, double keep);

/* The time before which rows that are kept for so long may go: rows of one partition go together, so that it is not later than the beginning of the one
** that `before` is in.  (One that is wider than those that are made ahead has its rows taken out as they are due.) */
double st_partitions_floor(st_call *store, const st_rule *rule, double before, double keep);

/* Drop the partitions that are from before a time, but for those in which something is held: how many rows went.  Outside a
** transaction.  One that others use is left to whoever deletes its rows one by one. */
int64_t st_partitions_drop(st_call *store, const st_rule *rule, double before);

#endif
