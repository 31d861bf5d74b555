/* mapped.c - see mapped.h. */
#include "embed/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map(int fd, st_text *file) {
  struct stat status;
  if (fstat(fd, &status) != 0) return false;
  if (!S_ISREG(status.st_mode) || status.st_size == 0) return true;
  void *start = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
  if (start == MAP_FAILED) return false;
  *file = (st_text){start, (size_t)status.st_size};
  return true;
}

bool st_mapped_open(st_text *file, const char *path, st_problem *problem) {
  *file = (st_text){NULL, 0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for a writer */
  bool good = fd >= 0 && map(fd, file);
  if (!good) st_problem_say(problem, "%s: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  return good;
}

void st_mapped_close(st_text *file) {
  if (file->bytes) munmap((void *)file->bytes, file->length);
  *file = (st_text){NULL, 0};
}
