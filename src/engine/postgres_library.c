/* postgres_library.c - see postgres_library.h. */
#include "engine/postgres_library.h"

#include <pthread.h>
#include <stdio.h>

#include "base/library.h"

st_postgres_library st_libpq;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char lacks[300];

static void load(void) {
  static const char *const names[] = {"libpq.so.5", "libpq.5.dylib", NULL};
  static const st_library_function functions[] = {
#define ST_POSTGRES_X(name) {#name, &name},
      ST_POSTGRES_FUNCTIONS(ST_POSTGRES_X)
#undef ST_POSTGRES_X
  };
  char why[200];
  if (!st_library_load(names, functions, sizeof functions / sizeof *functions, why, sizeof why))
    snprintf(lacks, sizeof lacks, "PostgreSQL needs libpq (Debian: apt-get install libpq5): %s", why);
}

const char *st_postgres_load(void) {
  pthread_once(&once, load);
  return lacks[0] ? lacks : NULL;
}
