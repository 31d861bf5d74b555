/* import_lines.h - a text file, line by line, whatever its length.  A line has a limit. */
#ifndef ST_IMPORT_LINES_H
#define ST_IMPORT_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "base/text.h"

typedef struct st_import_lines {
  const char *path;
  int fd;
  char *buffer;
  size_t start, end; /* what of the buffer is not read yet */
  bool ended;        /* the file is */
  int64_t number;    /* of the last line, from 1 */
} st_import_lines;

bool st_import_lines_open(st_import_lines *lines, const char *path, st_problem *problem);
/* The next line, without its end; valid until the next.  False: there is none, or the problem says why. */
bool st_import_lines_next(st_import_lines *lines, st_text *line, st_problem *problem);
void st_import_lines_close(st_import_lines *lines);

#endif
