/* compact.h - a store written anew: what was deleted is in no page of it any more. */
#ifndef ST_COMPACT_H
#define ST_COMPACT_H

#include "engine/call.h"

/* Outside a transaction.  On PostgreSQL, that statement is run.  The log of a SQLite file goes into it before and after: the
** whole file is written through it.  *busy: a reader kept it from being emptied. */
void st_compact(st_call *call, const char *postgres, bool *busy);

#endif
