/* count.c - what is to be counted rather than timed: appending, searching, reading a page, on one side.
**
** Run under valgrind --tool=callgrind --collect-atstart=no --toggle-collect=counted, with --only SIDE,DEED: the deed is
** done a few times first, so that what is made once is not part of it, and then TIMES more, counted.  The store is small.  It
** is made by the first run in a directory, which need not be counted: one that names a side and no deed. */
#include <unistd.h>

#include "conversation/filling.h"
#include "conversation/side.h"

#define ROWS 2000
#define WARM 5
#define TIMES 20

/* The one function that is counted; never made a part of another. */
void counted(bench_side *side, bench_deed *deed) __attribute__((noinline));
void counted(bench_side *side, bench_deed *deed) {
  for (int n = WARM; n < WARM + TIMES; n++) deed(side, n);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  for (bench_side **side = bench_sides(&options); *side; side++) {
    if (!bench_wanted(&options, (*side)->name)) continue;
    bool make = access(bench_side_home(*side, &options).text, F_OK) != 0;
    (*side)->open(*side, &options, make);
    (*side)->rows = bench_whole_batches(ROWS);
    if (make) (*side)->fill(*side, (*side)->rows);
    for (int deed = 0; deed < BENCH_DEED_COUNT; deed++) {
      if (!(*side)->deeds[deed] || !bench_wanted(&options, bench_deeds[deed].name)) continue;
      for (int n = 0; n < WARM; n++) (*side)->deeds[deed](*side, n);
      counted(*side, (*side)->deeds[deed]);
    }
    (*side)->close(*side);
  }
  bench_put("times", TIMES);
  return bench_finish();
}
