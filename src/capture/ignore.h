/* ignore.h - what is not to be read: directories and projects with a file .stele-ignore, and a list. */
#ifndef ST_IGNORE_H
#define ST_IGNORE_H

#include <limits.h>

#include "base/text.h"

#define ST_IGNORE_FILE ".stele-ignore"

/* For one thread at a time. */
typedef struct st_ignore {
  const char *const *list; /* NULL-terminated: paths, or patterns with * */
  char last[PATH_MAX];     /* the working directory that was last asked for */
  bool last_answer;
} st_ignore;

/* Is a path, or a directory above it, in the list? */
bool st_ignore_path(const st_ignore *ignore, const char *path);

/* Is there an ignore file in the directory? */
bool st_ignore_marked(const char *directory);

/* Is a project, by where it works, in the list, or is there an ignore file in it or above it? */
bool st_ignore_project(st_ignore *ignore, st_text cwd);

#endif
