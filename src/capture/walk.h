/* walk.h - the files below a path, in a stable order. */
#ifndef ST_WALK_H
#define ST_WALK_H

#include <sys/stat.h>

#include "capture/ignore.h"
#include "capture/numbers.h"

typedef struct st_walk {
  const st_ignore *ignore;
  /* A regular file; `root` bytes of the path are what was asked for.  False: enough. */
  bool (*file)(void *user, const char *path, size_t root, const struct stat *found);
  /* A directory that is gone through; may be NULL. */
  bool (*directory)(void *user, const char *path);
  void *user;
  int64_t ignored;  /* files and directories left alone */
  st_numbers seen;  /* directories, so that links do not lead in a circle */
  bool nomem;
} st_walk;

/* Go through a file or a directory, at or below a root whose path has so many bytes (0: it is the root itself); what
** does not exist has no files.  False: file() or directory() said enough, or there is no memory. */
bool st_walk_path(st_walk *walk, const char *path, size_t root);
void st_walk_free(st_walk *walk);

#endif
