/* presence.c - see presence.h. */
#include "presence.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stele.h"

static bool path_of(const char *home, char out[4096]) {
  return home && strcmp(home, ":memory:") != 0 && snprintf(out, 4096, "%s/serve.pid", home) < 4096;
}

int sv_presence_begin(const char *home, const char *numbers) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  char path[4096], line[300];
  if (!path_of(home, path)) return -1;
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  int length = snprintf(line, sizeof line, "%s %ld %s\n", stele_version(), (long)getpid(), numbers);
  if (fd >= 0 && length < (int)sizeof line && fcntl(fd, F_OFD_SETLK, &lock) == 0 && ftruncate(fd, 0) == 0 && write(fd, line, (size_t)length) == length)
    return fd;
  if (fd >= 0) close(fd);
  return -1;
}

void sv_presence_end(int fd, const char *home) {
  char path[4096];
  if (fd < 0) return;
  if (path_of(home, path)) unlink(path); /* while it is locked: it is still this server's */
  close(fd);
}
