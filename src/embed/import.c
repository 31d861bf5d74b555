/* import.c - see import.h. */
#include "embed/import.h"

#include <sys/stat.h>

bool st_import(const char *from, const char *to, const st_import_options *options, st_imported *out, st_problem *problem) {
  struct stat status;
  if (stat(from, &status) == 0 && S_ISDIR(status.st_mode))
    return st_import_model2vec(from, to, options, out, problem);
  return st_import_vectors(from, to, options, out, problem);
}
