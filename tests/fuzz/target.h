/* target.h - what fuzz targets share: the function that the fuzzer calls, a promise, and a place for files. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What does not hold is told, and ends the run. */
static inline void must(bool good, const char *what) {
  if (good) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

/* A directory of this process, made when it is first asked for; tests/fuzz/run.py removes what it lies in. */
static inline const char *own_directory(void) {
  static char path[200];
  if (!path[0]) {
    const char *above = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/stele-fuzz-XXXXXX", above ? above : "/tmp");
    must(mkdtemp(path) != NULL, "no directory");
  }
  return path;
}

#endif
