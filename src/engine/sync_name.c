/* sync_name.c - see sync_name.h. */
#include "engine/sync_name.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

bool st_sync_name(const char *path) {
  char copy[4096];
  if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy) {
    errno = ENAMETOOLONG;
    return false;
  }
  int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES;
  bool synced = fsync(fd) == 0;
  int error = errno;
  close(fd);
  errno = error;
  return synced;
}
