/* lines.h - a file read line by line, however long a line is, up to a limit. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <stdint.h>
#include <stdio.h>

#define LINE_MAX_BYTES ((size_t)256 << 20)

typedef struct lines {
  FILE *file;
  char *text; /* the line, without its end, a NUL behind it */
  size_t length, room;
  int64_t number; /* of the line, from 1 */
  int64_t taken;  /* bytes of the file */
} lines;

typedef enum line_status {
  LINE_READ,
  LINE_END,   /* there is no more */
  LINE_LONG,  /* it is above the limit, and was passed over */
  LINE_FAILED /* errno tells why */
} line_status;

line_status lines_next(lines *in);
void lines_free(lines *in);

#endif
