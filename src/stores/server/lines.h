/* lines.h - the lines of a text.  A line end at its end begins no further line. */
#ifndef ST_LINES_H
#define ST_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

int64_t st_lines_count(const char *text, size_t length);
/* Where the line of that number (from 1) begins; the end if there are fewer. */
const char *st_lines_at(const char *text, size_t length, int64_t number);
/* Append the lines from .. to, each with its number before it. */
void st_lines_put(st_str *out, const char *text, size_t length, int64_t from, int64_t to);

#endif
