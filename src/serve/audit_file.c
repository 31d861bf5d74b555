/* audit_file.c - see audit_file.h. */
#include "audit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

void sv_audit_file_close(sv_audit_file *file) {
  if (*file->day) close(file->fd);
  file->day[0] = '\0';
}

/* A file whose last line was cut short, by a full disk or a crash, gets a line end before the next. */
static bool ends_within_a_line(int fd, off_t size) {
  char last = '\n';
  return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

static bool open_day(sv_audit_file *file, const char *day) {
  char path[4096];
  struct stat found;
  sv_audit_file_close(file);
  if (mkdir(file->directory, 0700) != 0 && errno != EEXIST) return false;
  if (snprintf(path, sizeof path, "%s/%s.jsonl", file->directory, day) >= (int)sizeof path) {
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
  strcpy(file->day, day);
  return true;
}

/* Somebody may have taken the file away. */
static bool is_there(const sv_audit_file *file, const char *day) {
  struct stat found;
  return strcmp(file->day, day) == 0 && fstat(file->fd, &found) == 0 && found.st_nlink > 0;
}

bool sv_audit_file_add(sv_audit_file *file, time_t time, const char *line, size_t length) {
  char day[16];
  struct tm parts;
  gmtime_r(&time, &parts);
  strftime(day, sizeof day, "%Y-%m-%d", &parts);
  if (!is_there(file, day) && !open_day(file, day)) return false;
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
