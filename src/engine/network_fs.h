/* network_fs.h - is a file on another machine?  SQLite's locks and shared memory are not to be trusted there. */
#ifndef ST_NETWORK_FS_H
#define ST_NETWORK_FS_H

#include <stdbool.h>

/* A path that does not exist yet is judged by its directory. */
bool st_on_network_fs(const char *path);

#endif
