/* diff.h - what a change does to a file, line by line. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include "output.h"

/* Print it as a unified diff of one part: what lies between the lines that both begin and end with.  NULL: no file. */
void diff_print(output *out, const char *path, const char *before, const char *after);

#endif
