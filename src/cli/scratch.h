/* scratch.h - a home for a while, gone afterwards. */
#ifndef CLI_SCRATCH_H
#define CLI_SCRATCH_H

#include "output.h"

/* A new directory, in new memory.  NULL: it could not be made, and that was told. */
char *scratch_make(output *out, const char *what);
/* With all that is in it; frees the name, which may be NULL. */
void scratch_remove(char *directory);

#endif
