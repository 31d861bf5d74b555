/* notify.c - see notify.h. */
#include "notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void sv_notify(const char *words) {
  const char *path = getenv("NOTIFY_SOCKET");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = path ? strlen(path) : 0;
  if (length < 2 || length >= sizeof address.sun_path || (*path != '/' && *path != '@')) return;
  memcpy(address.sun_path, path, length);
  if (*path == '@') address.sun_path[0] = '\0'; /* a name without a file */
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  if (sendto(fd, words, strlen(words), MSG_NOSIGNAL, (struct sockaddr *)&address, size) < 0) { /* nobody listens */
  }
  close(fd);
}

int64_t sv_notify_watchdog(void) {
  const char *every = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
  if (!every || (pid && strtoll(pid, NULL, 10) != (long long)getpid())) return 0;
  long long us = strtoll(every, NULL, 10);
  return us > 0 ? us : 0;
}
