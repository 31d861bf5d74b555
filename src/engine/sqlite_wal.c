/* sqlite_wal.c - the gate for the WAL-reset bug.  See sqlite_wal.h. */
#include "engine/sqlite_wal.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

int (*st_sqlite_version)(void) = sqlite3_libversion_number;

bool st_sqlite_wal_safe(int version) {
  if (version >= 3053000) return true;
  if (version >= 3051003 && version < 3052000) return true;
  if (version >= 3050007 && version < 3051000) return true;
  return version >= 3044006 && version < 3045000;
}

bool st_sqlite_wal_in_use(const char *path) {
  enum { DEAD_MAN_SWITCH = 128 }; /* every SQLite in WAL mode holds this byte of -shm, shared */
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = DEAD_MAN_SWITCH, .l_len = 1};
  char shm[4096];
  if (snprintf(shm, sizeof shm, "%s-shm", path) >= (int)sizeof shm) return false;
  int fd = open(shm, O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  bool in_use = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(fd);
  return in_use;
}
