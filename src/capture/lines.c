/* lines.c - see lines.h. */
#include "capture/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#define ORDINARY ((size_t)256 << 10)

static void free_buffer(st_lines *lines) {
  st_free(lines->buffer);
  lines->buffer = NULL;
  lines->room = 0;
}

bool st_lines_begin(st_lines *lines, int fd, int64_t offset, bool compressed) {
  if (lines->room > 4 * ORDINARY) free_buffer(lines); /* a giant line's room is not kept */
  st_zstd_close(lines->zstd);
  lines->zstd = compressed ? st_zstd_open(fd) : NULL;
  lines->why = NULL;
  lines->fd = fd;
  lines->start = lines->seen = lines->filled = 0;
  lines->offset = offset;
  lines->bytes = 0;
  lines->at_end = false;
  return !compressed || lines->zstd;
}

void st_lines_free(st_lines *lines) {
  free_buffer(lines);
  st_zstd_close(lines->zstd);
  lines->zstd = NULL;
}

/* Room for more bytes behind what is there: moved to the front first, then grown. */
static bool make_room(st_lines *lines) {
  if (lines->start > 0 && (lines->start == lines->filled || lines->filled == lines->room)) {
    memmove(lines->buffer, lines->buffer + lines->start, lines->filled - lines->start);
    lines->filled -= lines->start;
    lines->seen -= lines->start;
    lines->start = 0;
  }
  if (lines->filled < lines->room) return true;
  size_t room = lines->room ? lines->room * 2 : ORDINARY;
  if (room > ST_LINE_MAX + ORDINARY) room = ST_LINE_MAX + ORDINARY;
  char *buffer = st_realloc(lines->buffer, room);
  if (!buffer) return false;
  lines->buffer = buffer;
  lines->room = room;
  return true;
}

static ssize_t read_at(st_lines *lines, size_t want) {
  int64_t from = lines->offset + (int64_t)(lines->filled - lines->start);
  ssize_t got;
  do got = pread(lines->fd, lines->buffer + lines->filled, want, from);
  while (got < 0 && errno == EINTR);
  if (got < 0) lines->why = strerror(errno);
  return got;
}

static st_line_status fill(st_lines *lines) {
  if (!make_room(lines)) return ST_LINE_NOMEM;
  size_t want = lines->room - lines->filled;
  if (want > ORDINARY) want = ORDINARY;
  ssize_t got = lines->zstd ? st_zstd_read(lines->zstd, lines->buffer + lines->filled, want, &lines->why)
                            : read_at(lines, want);
  if (got < 0) return ST_LINE_FAILED;
  if (got == 0) lines->at_end = true;
  lines->filled += (size_t)got;
  lines->bytes += got;
  return ST_LINE_READ;
}

static void step_over(st_lines *lines, size_t length) {
  lines->start += length;
  lines->offset += (int64_t)length;
  lines->seen = lines->start;
}

/* Everything up to the end of a line that is too long, none of it kept. */
static st_line_status skip_long(st_lines *lines) {
  for (;;) {
    step_over(lines, lines->filled - lines->start);
    st_line_status status = fill(lines);
    if (status != ST_LINE_READ) return status;
    if (lines->at_end) return ST_LINE_END; /* it is not known yet how it ends */
    const char *from = lines->buffer + lines->start;
    const char *end = memchr(from, '\n', lines->filled - lines->start);
    if (!end) continue;
    step_over(lines, (size_t)(end + 1 - from));
    return ST_LINE_LONG;
  }
}

st_line_status st_lines_next(st_lines *lines, const char **text, size_t *length) {
  for (;;) {
    const char *end = lines->seen < lines->filled
                          ? memchr(lines->buffer + lines->seen, '\n', lines->filled - lines->seen)
                          : NULL;
    size_t there = lines->filled - lines->start;
    *text = lines->buffer ? lines->buffer + lines->start : NULL; /* before the first fill there is none */
    if (end) {
      *length = (size_t)(end - *text);
      step_over(lines, *length + 1);
      return *length > ST_LINE_MAX ? ST_LINE_LONG : ST_LINE_READ;
    }
    lines->seen = lines->filled;
    if (lines->at_end) {
      *length = there;
      if (there == 0) return ST_LINE_END;
      step_over(lines, there);
      return ST_LINE_PART;
    }
    if (there > ST_LINE_MAX) return skip_long(lines);
    st_line_status status = fill(lines);
    if (status != ST_LINE_READ) return status;
  }
}
