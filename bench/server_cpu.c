/* server_cpu.c - see server_cpu.h.
**
** The kernel tells who listens at the other end of a socket; that process's children do the work. */
#include "server_cpu.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>

#define DESCRIPTORS 64

static pid_t find_server(void) {
  for (int fd = 3; fd < DESCRIPTORS; fd++) {
    struct ucred other;
    socklen_t size = sizeof other;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.pid > 1) return other.pid;
  }
  return 0;
}

static double seconds_of(int pid) {
  char path[64];
  unsigned long long nanoseconds = 0;
  snprintf(path, sizeof path, "/proc/%d/schedstat", pid);
  FILE *file = fopen(path, "r");
  if (!file) return 0; /* it has ended */
  if (fscanf(file, "%llu", &nanoseconds) != 1) nanoseconds = 0;
  fclose(file);
  return (double)nanoseconds / 1e9;
}

double bench_server_cpu(void) {
  static pid_t server;
  char path[64];
  double seconds = 0;
  if (!server) server = find_server();
  if (!server) return 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)server, (int)server);
  FILE *children = fopen(path, "r");
  for (int pid; children && fscanf(children, "%d", &pid) == 1;) seconds += seconds_of(pid);
  if (children) fclose(children);
  return seconds;
}
