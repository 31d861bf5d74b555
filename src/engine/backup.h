/* backup.h - backups: files that hold a store as it was at one moment.
**
** A backup is written as FILE.partial, read back and compared with the store, synced, and only then called FILE; its
** manifest (manifest.h) is there before it.  Whatever a killed process leaves is therefore no backup, and is cleared away by
** the next one. */
#ifndef ST_BACKUP_H
#define ST_BACKUP_H

#include "engine/copy_path.h"
#include "engine/manifest.h"
#include "engine/opened.h"

/* Copy what a connection has open to a new file; failures are in conn->problem.  With about, whose store, version and time
** are filled in, a manifest is written and the rest of about filled in (free its contents). */
stele_status st_backup_write(st_conn *conn, const char *path, st_manifest *about, const st_watch *watch);

/* The same for a store of the handle's: STORE-TIME.db in the directory, which is made.  path tells where it is. */
stele_status st_backup_store(st_opened *opened, const char *directory, const st_watch *watch, st_manifest *about, char path[ST_PATH_MAX]);

/* A copy of a file beside it, before it is changed by something that cannot be undone: FILE.vN.TIME.backup.  path is "" where
** there is no file to copy.  May be called by whoever holds the write lock and has not written yet. */
stele_status st_backup_beside(st_opened *opened, int version, const st_watch *watch, char path[ST_PATH_MAX]);

#endif
