/* backup_beside.h - a copy of a file beside it, before it is changed by something that cannot be undone. */
#ifndef ST_BACKUP_BESIDE_H
#define ST_BACKUP_BESIDE_H

#include "engine/copy_path.h"
#include "engine/opened.h"

/* Copy a SQLite file to FILE.vN.TIME.backup, and verify the copy; path tells where it is, and is "" where there is no
** file to copy.  May be called by whoever holds the write lock and has not written yet. */
stele_status st_backup_beside(st_opened *opened, int version,
                              int (*progress)(void *user, const char *what, int64_t done, int64_t total), void *user,
                              char path[ST_PATH_MAX]);

#endif
