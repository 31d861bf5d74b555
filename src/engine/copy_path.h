/* copy_path.h - the name of a copy: what it is of, and when it was made. */
#ifndef ST_COPY_PATH_H
#define ST_COPY_PATH_H

#include <stdbool.h>

#define ST_PATH_MAX 4096

/* STEM2026-11-15T09-46-40ZSUFFIX; with -1, -2, ... after the time where that is taken.  False: it
** would be too long. */
bool st_copy_path(const char *stem, const char *suffix, char out[ST_PATH_MAX]);

#endif
