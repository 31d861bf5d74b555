/* fault_place.c - where in the library something is asked that could fail.  See fault.h. */
#include <execinfo.h>
#include <sqlite3.h>

#include "fault/fault.h"

#define FRAMES 40
#define DEPTH 6 /* so many callers make a place */
#define SEEN (1u << 16) /* a power of two; there are some thousands of places */

/* SQLite is one source file, and so one piece of the program. */
static bool is_sqlite(uintptr_t address) {
  const uintptr_t some[] = {(uintptr_t)sqlite3_status64, (uintptr_t)sqlite3_malloc, (uintptr_t)sqlite3_step, (uintptr_t)sqlite3_open_v2,
                            (uintptr_t)sqlite3_sourceid};
  bool behind = false, before = false;
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    behind = behind || address >= some[i];
    before = before || address <= some[i];
  }
  return behind && before;
}

static uint64_t place(void) {
  void *frames[FRAMES];
  uint64_t sum = 1469598103934665603u;
  int count = backtrace(frames, FRAMES);
  for (int i = 4, taken = 0; i < count && taken < DEPTH; i++) { /* after this file, fault.c and the one that asks it */
    if (is_sqlite((uintptr_t)frames[i])) continue;
    sum = (sum ^ (uintptr_t)frames[i]) * 1099511628211u;
    taken++;
  }
  return sum ? sum : 1;
}

bool fault_place_is_new(void) {
  static uint64_t seen[SEEN];
  uint64_t sum = place();
  size_t at = sum >> 40 & (SEEN - 1);
  for (size_t tries = 0; tries < SEEN; tries++, at = (at + 1) & (SEEN - 1)) {
    if (seen[at] == sum) return false;
    if (seen[at]) continue;
    seen[at] = sum;
    return true;
  }
  return false;
}
