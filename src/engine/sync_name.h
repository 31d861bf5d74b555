/* sync_name.h - a file or directory that was made, renamed or removed has its name for good only when the directory it is in was synced. */
#ifndef ST_SYNC_NAME_H
#define ST_SYNC_NAME_H

#include <stdbool.h>

/* Sync the directory of a path.  False: that failed, and errno tells why.  One that this user may write to and not read
** cannot be synced by anybody; it passes for synced. */
bool st_sync_name(const char *path);

#endif
