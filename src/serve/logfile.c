/* logfile.c - see logfile.h. */
#include "logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

void sv_logfile_close(sv_logfile *file) {
  if (*file->name) close(file->fd);
  file->name[0] = '\0';
}

/* A file whose last line was cut short, by a full disk or a crash, gets a line end before the next. */
static bool ends_within_a_line(int fd, off_t size) {
  char last = '\n';
  return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

/* mkdir -p, but only below what is there: the home itself is not made here. */
static bool make_directory(const char *path) {
  char above[4096];
  if (mkdir(path, 0700) == 0 || errno == EEXIST) return true;
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (errno != ENOENT || length == 0 || length >= sizeof above) return false;
  memcpy(above, path, length);
  above[length] = '\0';
  return (mkdir(above, 0700) == 0 || errno == EEXIST) && (mkdir(path, 0700) == 0 || errno == EEXIST);
}

static bool open_file(sv_logfile *file, const char *name) {
  char path[4096];
  struct stat found;
  sv_logfile_close(file);
  if (!make_directory(file->directory)) return false;
  if (strlen(name) > SV_LOGFILE_NAME ||
      snprintf(path, sizeof path, "%s/%s", file->directory, name) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return false;
  }
  int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (fd < 0) return false;
  if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) {
    close(fd);
    errno = EINVAL;
    return false;
  }
  file->fd = fd;
  file->torn = ends_within_a_line(fd, found.st_size);
  strcpy(file->name, name);
  return true;
}

/* Somebody may have taken the file away. */
static bool is_there(const sv_logfile *file, const char *name) {
  struct stat found;
  return strcmp(file->name, name) == 0 && fstat(file->fd, &found) == 0 && found.st_nlink > 0;
}

bool sv_logfile_add(sv_logfile *file, const char *name, const char *line, size_t length) {
  if (!is_there(file, name) && !open_file(file, name)) return false;
  struct iovec both[] = {{.iov_base = (void *)"\n", .iov_len = file->torn}, {(void *)line, length}};
  ssize_t written = writev(file->fd, both, 2), wanted = (ssize_t)length + file->torn;
  if (written == wanted) {
    file->torn = false;
    return true;
  }
  if (written >= 0) errno = ENOSPC; /* a regular file takes less only when there is no room */
  if (written > 0) file->torn = written > file->torn;
  return false;
}
