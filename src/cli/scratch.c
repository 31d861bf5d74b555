/* scratch.c - see scratch.h. */
#include "scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "places.h"
#include "text.h"

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *at) {
  (void)found;
  (void)kind;
  (void)at;
  return remove(path);
}

char *scratch_make(output *out, const char *what) {
  const char *base = places_environment("TMPDIR");
  char *directory = text_format("%s/stele-%s-XXXXXX", base ? base : "/tmp", what);
  if (mkdtemp(directory)) return directory;
  out_bad(out, "set TMPDIR to a directory that can be written", "%s cannot be made", directory);
  free(directory);
  return NULL;
}

void scratch_remove(char *directory) {
  if (directory) nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  free(directory);
}
