/* input.h - all of a file or of standard input, at once. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "output.h"

#define INPUT_MAX ((size_t)256 << 20)

/* What the file holds, up to `most` bytes, with a NUL behind it; path NULL: standard input.  NULL: that was
** told, and *status is set. */
char *input_read(output *out, const char *path, size_t most, int *status);

#endif
