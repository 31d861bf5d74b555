/* server_seen.c - see server_seen.h. */
#include "engine/server_seen.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool st_server_look(const char *home, st_server_seen *seen) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  char path[4096], text[300] = "";
  if (!home || strcmp(home, ":memory:") == 0) return false;
  if (snprintf(path, sizeof path, "%s/serve.pid", home) >= (int)sizeof path) return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool held = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  seen->numbers[0] = '\0';
  return held && length > 0 && sscanf(text, "%39s %ld %199[^\n]", seen->version, &seen->pid, seen->numbers) >= 2;
}
