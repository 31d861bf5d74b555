/* pub_key.c - see pub_key.h. */
#include "stores/server/pub_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/handle.h"
#include "engine/sync_name.h"
#include "stores/server/server.h"

#define FILE_NAME "server.key"
#define PATH_SIZE 4096
#define NAMES 100 /* that may be taken, by others at work and by what those left behind who could not take it away */

static bool path_of(st_call *call, const char *suffix, char path[PATH_SIZE]) {
  const char *home = call->db->home;
  if (!home || strcmp(home, ":memory:") == 0)
    st_fail(call, STELE_INVALID, NULL, "there is no home to keep the server's key in");
  else if (snprintf(path, PATH_SIZE, "%s/" FILE_NAME "%s", home, suffix) >= PATH_SIZE)
    st_fail(call, STELE_INVALID, NULL, "the path of the home is too long");
  return st_ok(call);
}

static bool fail(st_call *call, const char *path, const char *what) {
  st_fail(call, STELE_IO, NULL, "%s cannot be %s: %s", path, what, strerror(errno));
  return false;
}

bool st_pub_key_read(st_call *call, unsigned char key[ST_PUB_KEY]) {
  char path[PATH_SIZE];
  unsigned char found[ST_PUB_KEY + 1];
  if (!path_of(call, "", path)) return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return errno == ENOENT ? false : fail(call, path, "read");
  ssize_t got = read(fd, found, sizeof found);
  close(fd);
  if (got < 0) return fail(call, path, "read");
  if (got != ST_PUB_KEY) {
    st_fail(call, STELE_CORRUPT, NULL, "%s is not a key of %d bytes", path, ST_PUB_KEY);
    st_hint(call, "without it a new one is made, and the addresses given out before are gone");
    return false;
  }
  memcpy(key, found, ST_PUB_KEY);
  return true;
}

/* A new file beside it, open for writing; -1: it cannot be made, as errno says. */
static int open_beside(st_call *call, char path[PATH_SIZE]) {
  char suffix[40];
  int fd = -1;
  errno = EEXIST;
  for (int n = 0; n < NAMES && fd < 0 && errno == EEXIST; n++) {
    snprintf(suffix, sizeof suffix, ".%ld.%d", (long)getpid(), n);
    if (!path_of(call, suffix, path)) return -1;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  }
  return fd;
}

/* Whole or not at all, and never over another's: it is written beside and linked into place.  An address that was told is one for good: its key is on
** the disk by then, under its name. */
static bool make(st_call *call) {
  char path[PATH_SIZE], beside[PATH_SIZE];
  unsigned char key[ST_PUB_KEY];
  if (!st_server_random(key, sizeof key)) return fail(call, FILE_NAME, "made");
  if (!path_of(call, "", path)) return false;
  /* with all stores elsewhere the home need not be there */
  if (!st_handle_make_home(call->db->home)) return fail(call, call->db->home, "made");
  int fd = open_beside(call, beside);
  if (fd < 0) return fail(call, path, "made");
  bool good = write(fd, key, sizeof key) == (ssize_t)sizeof key && fsync(fd) == 0 &&
              (link(beside, path) == 0 || errno == EEXIST) && st_sync_name(path);
  if (!good) fail(call, path, "made");
  close(fd);
  unlink(beside);
  return good;
}

bool st_pub_key_need(st_call *call, unsigned char key[ST_PUB_KEY]) {
  if (st_pub_key_read(call, key)) return true;
  return st_ok(call) && make(call) && st_pub_key_read(call, key);
}
