/* complete.h - making a store whole: the tables, columns, indexes and first rows that its schema names.
**
** Everything here runs inside the transaction of a migration.  What is already there is found by looking, never by
** taking a failure for it. */
#ifndef ST_COMPLETE_H
#define ST_COMPLETE_H

#include "engine/opened.h"

/* The tables and first rows of a fresh store. */
stele_status st_complete_fresh(st_opened *opened);

/* Which seeds are due (bit i: store->seeds[engine][i]).  To be asked before anything is added. */
stele_status st_complete_look(st_opened *opened, uint32_t *due);

/* Add the columns that the tables of an older file lack; then, if the store is one that is completed, whatever
** else it lacks. */
stele_status st_complete_tables(st_opened *opened);

/* The rows of the seeds that are due. */
stele_status st_complete_rows(st_opened *opened, uint32_t due);

#endif
