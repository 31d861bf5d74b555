/* durable.c - see durable.h. */
#include "engine/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/sync_name.h"

stele_status st_file_failed(const char *path, char problem[ST_PROBLEM_MAX]) {
  int error = errno;
  snprintf(problem, ST_PROBLEM_MAX, "%.300s: %s", path, strerror(error));
  return error == ENOSPC || error == EDQUOT ? STELE_FULL : STELE_IO;
}

/* The first byte: SQLite's own locks are elsewhere. */
static bool hold(int fd) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

stele_status st_hold_new(const char *path, int *fd, char problem[ST_PROBLEM_MAX]) {
  *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (*fd >= 0 && hold(*fd)) return STELE_OK;
  stele_status status = *fd >= 0 || errno == EEXIST ? STELE_BUSY : st_file_failed(path, problem);
  if (status == STELE_BUSY) snprintf(problem, ST_PROBLEM_MAX, "%.300s is being written by another", path);
  if (*fd >= 0) close(*fd);
  *fd = -1;
  return status;
}

void st_clear_away(const char *path, bool keep) {
  static const char *const suffixes[] = {"-journal", "-wal", "-shm"};
  char name[4096];
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    if (snprintf(name, sizeof name, "%s%s", path, suffixes[i]) < (int)sizeof name) unlink(name);
  if (!keep) unlink(path);
}

bool st_clear_abandoned(const char *path) {
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return errno == ENOENT;
  bool free = hold(fd);
  if (free) st_clear_away(path, false);
  close(fd);
  return free;
}

stele_status st_sync_file(const char *path, char problem[ST_PROBLEM_MAX]) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  stele_status status = fd >= 0 && fsync(fd) == 0 ? STELE_OK : st_file_failed(path, problem);
  if (fd >= 0) close(fd);
  return status;
}

stele_status st_keep_name(const char *path, char problem[ST_PROBLEM_MAX]) {
  return st_sync_name(path) ? STELE_OK : st_file_failed(path, problem);
}

stele_status st_give_name(const char *partial, const char *path, char problem[ST_PROBLEM_MAX]) {
  stele_status status = st_sync_file(partial, problem);
  if (status == STELE_OK && rename(partial, path) != 0) status = st_file_failed(path, problem);
  if (status != STELE_OK) return status;
  status = st_keep_name(path, problem);
  if (status != STELE_OK) unlink(path); /* nobody knows whether it will be there */
  return status;
}

bool st_write_all(int fd, const char *bytes, size_t length) {
  while (length) {
    ssize_t wrote = write(fd, bytes, length);
    if (wrote < 0 && errno != EINTR) return false;
    if (wrote > 0) bytes += wrote, length -= (size_t)wrote;
  }
  return true;
}

stele_status st_write_new(const char *path, const char *bytes, size_t length, char problem[ST_PROBLEM_MAX]) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool good = fd >= 0 && st_write_all(fd, bytes, length) && fsync(fd) == 0;
  stele_status status = good ? STELE_OK : st_file_failed(path, problem);
  if (fd >= 0 && !good) unlink(path);
  if (fd >= 0) close(fd);
  return status;
}
