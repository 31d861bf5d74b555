/* sqlite_wal.h - may this SQLite library be trusted with a write-ahead log?
**
** SQLite 3.7.0 to 3.51.2 (and the withdrawn 3.52.0) can lose committed pages when a checkpoint
** meets a reset of the log.  Stele is built with a library that cannot; a system library may be
** one that can. */
#ifndef ST_SQLITE_WAL_H
#define ST_SQLITE_WAL_H

#include <stdbool.h>

bool st_sqlite_wal_safe(int version_number);

/* sqlite3_libversion_number(); tests put another in its place. */
extern int (*st_sqlite_version)(void);

/* Does any other process have this file open in WAL mode?  To be asked before this process opens
** it: the question itself would drop this process's own locks on the -shm file. */
bool st_sqlite_wal_in_use(const char *path);

#endif
