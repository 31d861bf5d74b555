/* disk.h - all that the library asks of the disk passes here: it can be made to fail (FAULT_EIO, FAULT_ENOSPC), and written down.
**
** Nothing of it is to be had unless SQLite uses its own file system: the one that fails (fault_vfs.c) does not sync. */
#ifndef ST_TEST_DISK_H
#define ST_TEST_DISK_H

#include <stdbool.h>

/* Write it down from now on, into a new file, so that a test can work out what a power loss would leave (disk.py).  False:
** the file cannot be made. */
bool disk_record(const char *path);

#endif
