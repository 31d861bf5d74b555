/* file.c - see file.h. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

char *file_read(const char *path, size_t *length, int *error) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  char *text = NULL;
  size_t room = 0;
  ssize_t got = fd < 0 ? -1 : 1;
  *length = 0;
  while (got > 0 || (got < 0 && fd >= 0 && errno == EINTR)) {
    if (*length + 1 >= room) text = text_need(realloc(text, room = room ? room * 2 : 65536));
    got = read(fd, text + *length, room - *length - 1);
    if (got > 0) *length += (size_t)got;
    if (*length <= FILE_MOST) continue;
    errno = EFBIG;
    got = -1;
    break;
  }
  *error = got < 0 ? errno : 0;
  if (fd >= 0) close(fd);
  if (*error) {
    free(text);
    return NULL;
  }
  text[*length] = '\0';
  return text;
}

/* The end of the directory's name, or NULL at the top. */
static char *above(char *path) {
  char *slash = strrchr(path, '/');
  return slash && slash != path ? slash : NULL;
}

int file_missing_directories(const char *path) {
  char *directory = text_format("%s", path), *slash;
  int missing = 0;
  while ((slash = above(directory)) != NULL) {
    *slash = '\0';
    if (access(directory, F_OK) == 0) break;
    missing++;
  }
  free(directory);
  return missing;
}

static int make_directories(const char *path, int count) {
  char *directory = text_format("%s", path), *slash;
  int error = 0;
  for (int depth = count; depth > 0 && !error; depth--) { /* the outermost first */
    strcpy(directory, path);
    for (int i = 0; i < depth && (slash = above(directory)) != NULL; i++) *slash = '\0';
    if (mkdir(directory, 0700) != 0 && errno != EEXIST) error = errno;
  }
  free(directory);
  return error;
}

static int write_all(int fd, const char *bytes, size_t length) {
  while (length) {
    ssize_t put = write(fd, bytes, length);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    bytes += put;
    length -= (size_t)put;
  }
  return fsync(fd) == 0 ? 0 : errno;
}

static void sync_directory(const char *path) {
  char *directory = text_format("%s", path), *slash = above(directory);
  if (slash) *slash = '\0';
  int fd = open(slash ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    fsync(fd); /* best effort: the file itself is whole either way */
    close(fd);
  }
  free(directory);
}

/* A new file beside the old one, with its permissions and owner, then in its place. */
static int replace(const char *path, const char *bytes, size_t length) {
  struct stat old;
  bool exists = stat(path, &old) == 0;
  char *beside = text_format("%s.XXXXXX", path);
  int fd = mkostemp(beside, O_CLOEXEC), error = fd < 0 ? errno : 0;
  if (!error && exists && fchmod(fd, old.st_mode & 07777) != 0) error = errno;
  if (!error && exists && (old.st_uid != geteuid() || old.st_gid != getegid()) && fchown(fd, old.st_uid, old.st_gid) != 0)
    error = errno;
  if (!error) error = write_all(fd, bytes, length);
  if (fd >= 0 && close(fd) != 0 && !error) error = errno;
  if (!error && rename(beside, path) != 0) error = errno;
  if (error && fd >= 0) unlink(beside);
  if (!error) sync_directory(path);
  free(beside);
  return error;
}

int file_write(const char *path, const char *bytes, size_t length, int *made) {
  char whole[PATH_MAX];
  int missing = file_missing_directories(path), error = make_directories(path, missing);
  struct stat found;
  if (made) *made = missing;
  if (error) return error;
  if (lstat(path, &found) == 0 && S_ISLNK(found.st_mode)) {
    if (!realpath(path, whole)) return errno; /* a link to nothing: it is the user's to say what that means */
    path = whole;
  }
  return replace(path, bytes, length);
}

int file_remove(const char *path, int directories) {
  char *directory = text_format("%s", path), *slash;
  int error = unlink(path) == 0 ? 0 : errno;
  for (int i = 0; !error && i < directories && (slash = above(directory)) != NULL; i++) {
    *slash = '\0';
    if (rmdir(directory) != 0) break; /* something else lives there now */
  }
  free(directory);
  return error;
}
