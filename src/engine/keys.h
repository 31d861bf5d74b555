/* keys.h - work for which references between rows are not enforced.
**
** SQLite changes a table by making it anew, and dropping the old one deletes what refers to it; and a row without a
** parent cannot be dealt with while there must be none.  Only outside a transaction can this be switched. */
#ifndef ST_KEYS_H
#define ST_KEYS_H

#include "engine/opened.h"

/* The pragma by which a SQLite store has its keys enforced, or NULL. */
const char *st_keys_pragma(const st_opened *opened);

/* Do the work, which begins and ends its own transaction, without keys; afterwards they are enforced again. */
stele_status st_without_keys(st_opened *opened, stele_status (*work)(st_opened *opened, void *with), void *with);

#endif
