/* mapped.h - a file as it stands, mapped into memory. */
#ifndef ST_MAPPED_H
#define ST_MAPPED_H

#include "base/problem.h"
#include "base/text.h"

/* Its bytes: none of an empty file, nor of one that is no ordinary file.  False: the problem says why. */
bool st_mapped_open(st_text *file, const char *path, st_problem *problem);
void st_mapped_close(st_text *file);

#endif
