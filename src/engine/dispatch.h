/* dispatch.h - runs a call: turn, transaction, statements, commit, and again after a conflict. */
#ifndef ST_DISPATCH_H
#define ST_DISPATCH_H

#include "engine/handle.h"

/* Run a statement whose arguments are complete.  Afterwards its rows are buffered, or it streams. */
void st_dispatch(stele_stmt *stmt);

/* Run the call's method, native or not, in whatever transaction there is; the rows are buffered. */
void st_run_method(st_call *call);

/* Before a write: read to their end the streams that this handle has open on the store.  From an
** older moment SQLite could not write, and it would let them see the new rows or not, as it comes. */
void st_settle_streams(stele_db *db, const st_opened *store);

/* At the end of a call: if there was no memory even for a rollback, close the connection, which ends the
** transaction too; the next call opens another. */
void st_drop_stuck(stele_db *db, st_opened *store);

/* Bring a value read from a column to the declared type of its result. */
void st_coerce(const stele_field *field, st_value *value);

#endif
