/* fail_alloc.h - let the n-th allocation from now on fail, and only that one. */
#ifndef ST_TEST_FAIL_ALLOC_H
#define ST_TEST_FAIL_ALLOC_H

#include <stdbool.h>

#include "base/alloc.h"

static int fail_alloc_left; /* 0: it has failed, or none was to fail */

static bool fail_alloc_hook(void) {
  return fail_alloc_left > 0 && --fail_alloc_left == 0;
}

static inline void fail_alloc_nth(int n) {
  fail_alloc_left = n;
  st_alloc_fails = fail_alloc_hook;
}

/* Let all succeed again.  True if the chosen one was reached. */
static inline bool fail_alloc_end(void) {
  st_alloc_fails = NULL;
  return fail_alloc_left == 0;
}

#endif
