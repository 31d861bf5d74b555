/* import_lines.c - see import_lines.h. */
#include "embed/import_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#define LINE_MAX_BYTES ((size_t)1 << 18) /* 4096 numbers of 60 characters */
#define BUFFER (4 * LINE_MAX_BYTES)

bool st_import_lines_open(st_import_lines *lines, const char *path, st_problem *problem) {
  *lines = (st_import_lines){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC)};
  if (lines->fd < 0) return st_problem_say(problem, "%s: %s", path, strerror(errno));
  lines->buffer = st_alloc(BUFFER);
  if (lines->buffer) return true;
  st_import_lines_close(lines);
  return st_problem_nomem(problem);
}

void st_import_lines_close(st_import_lines *lines) {
  if (lines->fd >= 0) close(lines->fd);
  lines->fd = -1;
  st_free(lines->buffer);
  lines->buffer = NULL;
}

/* More of the file, behind what is not read yet. */
static bool fill(st_import_lines *lines, st_problem *problem) {
  memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
  lines->end -= lines->start;
  lines->start = 0;
  ssize_t got;
  do got = read(lines->fd, lines->buffer + lines->end, BUFFER - lines->end);
  while (got < 0 && errno == EINTR);
  if (got < 0) return st_problem_say(problem, "%s: %s", lines->path, strerror(errno));
  lines->end += (size_t)got;
  lines->ended = got == 0;
  return true;
}

bool st_import_lines_next(st_import_lines *lines, st_text *line, st_problem *problem) {
  for (;;) {
    const char *start = lines->buffer + lines->start;
    size_t there = lines->end - lines->start;
    const char *newline = there ? memchr(start, '\n', there) : NULL;
    size_t length = newline ? (size_t)(newline - start) : there;
    if (length > LINE_MAX_BYTES)
      return st_problem_say(problem, "%s, line %lld: longer than %zu bytes", lines->path, (long long)lines->number + 1, LINE_MAX_BYTES);
    if (newline || (lines->ended && there)) {
      lines->start += length + (newline ? 1 : 0);
      lines->number++;
      *line = (st_text){start, length && start[length - 1] == '\r' ? length - 1 : length};
      return true;
    }
    if (lines->ended || !fill(lines, problem)) return false;
  }
}
