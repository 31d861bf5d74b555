/* copy_mark.h - what a target says of the copy into it, and what is set aside in it meanwhile.
**
** While a copy is under way the target has a table stele_copying, which names the source; methods refuse such a store.  On
** PostgreSQL its foreign keys are in there, too: they are taken off, since rows come table by table, and put back at the end.
** (SQLite's are not enforced by the connection that copies.)  A finished copy has stele_copied in its place. */
#ifndef ST_COPY_MARK_H
#define ST_COPY_MARK_H

#include "engine/copy_plan.h"

/* The source that a mark (ST_COPYING, ST_COPIED) of the store names; "" if it has no such mark. */
stele_status st_copy_mark_read(const st_opened *target, const char *mark, char source[400]);

/* Which of all schemas a store on PostgreSQL is. */
stele_status st_copy_mark_place(const st_opened *opened, char place[400]);

/* Both in one transaction. */
stele_status st_copy_mark_begin(const st_opened *target, const char *source);
stele_status st_copy_mark_end(const st_opened *target, const char *source);

/* The number that a table gave last goes along: none is given twice.  *whose has the connection with the failure. */
stele_status st_copy_counter(const st_copy_plan *plan, const st_copy_table *table, const st_opened **whose);

#endif
