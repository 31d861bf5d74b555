/* index_gate.h - one at a time opens, closes or takes away the files of an index.
**
** An index is a database, its log and the log's index, and SQLite finds the last two by name, when it first reads.  Were a name given
** to another file in between, a connection would have the log of another database, or two connections of one database different
** logs.  So what opens an index passes this gate and is through it when it has all three: what then becomes of the names no longer
** concerns it.  So does what takes them away, or closes, which may delete the log.
**
** The gate is a lock on the directory, which nobody deletes and no connection has open.  Where there are no such locks one goes
** through without, which is logged. */
#ifndef ST_INDEX_GATE_H
#define ST_INDEX_GATE_H

#include "engine/opened.h"

/* Wait until nobody else is inside, as long as the store's connection waits for a lock.  *gate is to be given to
** st_index_gate_leave(), whatever came of it.  SQLITE_BUSY: it took too long, or the wait was stopped; SQLITE_CANTOPEN: the directory
** of the path cannot be opened.  An index in memory needs no gate. */
int st_index_gate_enter(const st_opened *store, const char *path, int *gate);

void st_index_gate_leave(int gate);

#endif
