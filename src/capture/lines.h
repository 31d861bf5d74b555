/* lines.h - the lines of a file, whatever their length, in bounded memory. */
#ifndef ST_LINES_H
#define ST_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/stream_zstd.h"

#define ST_LINE_MAX ((size_t)32 << 20) /* a longer line is stepped over */

typedef struct st_lines {
  int fd;
  st_zstd *zstd; /* not NULL: it is compressed, and read through this */
  char *buffer;
  size_t room;
  size_t start;    /* of the next line */
  size_t seen;     /* up to here there is no line end behind start */
  size_t filled;
  int64_t offset;  /* in the file: of buffer[start] */
  int64_t bytes;   /* read so far */
  bool at_end;
  const char *why;
} st_lines;

typedef enum st_line_status {
  ST_LINE_READ,
  ST_LINE_PART, /* what follows the last line end; it may be complete all the same */
  ST_LINE_LONG, /* it was longer than ST_LINE_MAX */
  ST_LINE_END,
  ST_LINE_FAILED, /* lines->why tells why */
  ST_LINE_NOMEM
} st_line_status;

/* Begin at an offset of an open file, which stays the caller's; a compressed one has only its start.  The buffer of an
** earlier file is used again.  False: out of memory. */
bool st_lines_begin(st_lines *lines, int fd, int64_t offset, bool compressed);

/* The next line, without its end; it lives until the next call.  lines->offset is then behind it. */
st_line_status st_lines_next(st_lines *lines, const char **text, size_t *length);

void st_lines_free(st_lines *lines);

#endif
