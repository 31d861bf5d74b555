/* place.c - see place.h. */
#include "place.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define ADDRESS_MAX 100 /* bytes of a socket's path that every system takes */

/* Sender and server may have been told the home in different words. */
static bool whole(const char *home, char out[PATH_MAX]) {
  if (!home || !*home || strcmp(home, ":memory:") == 0) return false;
  return realpath(home, out) || snprintf(out, PATH_MAX, "%s", home) < PATH_MAX;
}

/* FNV-1a: the homes of one user are few. */
static uint64_t hash_of(const char *text) {
  uint64_t hash = 14695981039346656037u;
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return hash;
}

bool st_place_socket(const char *home, char out[ST_PLACE_MAX]) {
  char path[PATH_MAX], runtime[64];
  struct stat found;
  if (!whole(home, path)) return false;
  if (snprintf(out, ST_PLACE_MAX, "%s/capture.sock", path) <= ADDRESS_MAX) return true;
  snprintf(runtime, sizeof runtime, "/run/user/%ld", (long)getuid()); /* not of the environment, which differs between the two */
  bool there = stat(runtime, &found) == 0 && S_ISDIR(found.st_mode);
  snprintf(out, ST_PLACE_MAX, "%s/stele-%ld-%016" PRIx64 ".sock", there ? runtime : "/tmp", (long)getuid(), hash_of(path));
  return true;
}

bool st_place_is_ours(int fd) {
  struct ucred other;
  socklen_t size = sizeof other;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.uid == geteuid();
}

bool st_place_fallback(const char *home, char out[ST_PLACE_MAX]) {
  char path[PATH_MAX];
  return whole(home, path) && snprintf(out, ST_PLACE_MAX, "%s/fallback", path) < ST_PLACE_MAX;
}
