/* migrate.h - bringing a store to the version this library works with. */
#ifndef ST_MIGRATE_H
#define ST_MIGRATE_H

#include "engine/opened.h"

/* Create the tables of a fresh store, or run the steps an older one lacks, in one transaction: if a
** step fails the store is as it was.  Safe when several processes do it at once: the version is read
** again once the write lock is held.  An older SQLite file is first copied to FILE.vN.TIME.backup,
** and the copy verified. */
bool st_migrate(st_opened *opened, const st_opening *opening);

#endif
