/* growth.c - the same messages on every side, and what users do with them, in turns.
**
** Run with 10,000, 100,000 and a million messages it tells what grows with them.  All sides are on the same disk, with the
** same durability; Stele's index is up to date before anything is asked.  The files stay in the directory, with the
** questions that were asked, for bench_cold and for programs in other languages. */
#include "conversation/asked.h"
#include "conversation/filling.h"
#include "conversation/side.h"

#include <stdio.h>

#define SIDES 3
#define LEAST 5    /* times that a thing is done, however long that takes; */
#define SECONDS 20 /* more often only for so long */

static void put(const bench_side *side, const char *what, const char *unit, bench_samples *samples) {
  char name[80];
  snprintf(name, sizeof name, "%s_%s%s", side->name, what, unit);
  bench_put_samples(name, samples);
}

static void put_number(const bench_side *side, const char *what, double value) {
  char name[80];
  snprintf(name, sizeof name, "%s_%s", side->name, what);
  bench_put(name, value);
}

/* Each side in turn, another one first every time. */
static void measure(bench_side **sides, int count, int deed, const char *name, int times) {
  bench_samples ms[SIDES] = {{0}}, cpu[SIDES] = {{0}};
  int found = 0;
  double end = bench_now() + SECONDS;
  for (int n = 0; n < times && (n < LEAST || bench_now() < end); n++)
    for (int turn = 0; turn < count; turn++) {
      int which = (n + turn) % count;
      bench_side *side = sides[which];
      if (!side->deeds[deed]) continue;
      double start = bench_now(), start_cpu = bench_cpu();
      int rows = side->deeds[deed](side, n);
      bench_add(&ms[which], (bench_now() - start) * 1e3);
      bench_add(&cpu[which], (bench_cpu() - start_cpu) * 1e3);
      if (which == 0) found += rows;
    }
  if (!found) bench_die("%s: nothing was found", name);
  for (int which = 0; which < count; which++)
    if (ms[which].count) {
      put(sides[which], name, "", &ms[which]);
      put(sides[which], name, "_cpu", &cpu[which]);
    }
}

static void fill(bench_side *side, const bench_options *options, unsigned rows, double raw) {
  side->open(side, options, true);
  put_number(side, "fill_per_s", rows / side->fill(side, rows));
  put_number(side, "bytes_per_byte", side->bytes(side) / raw);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  bench_side **sides = bench_sides(&options);
  int count = 0;
  if (options.per_session) bench_session_messages = (unsigned)options.per_session;
  bench_brief = options.brief;
  unsigned rows = bench_whole_batches(options.rows ? (unsigned)options.rows : 10000);
  double raw = bench_raw_bytes(rows);
  for (; sides[count]; count++) fill(sides[count], &options, rows, raw);
  if (options.dir) bench_leave_questions(bench_join(options.dir, "questions.json").text, rows);
  bench_put("rows", rows);
  bench_put("raw_bytes", raw);
  bench_put("sessions", rows / bench_session_messages);
  for (int i = 0; i < BENCH_DEED_COUNT; i++)
    if (bench_wanted(&options, bench_deeds[i].name)) measure(sides, count, i, bench_deeds[i].name, bench_deeds[i].times);
  for (int i = 0; i < count; i++) sides[i]->close(sides[i]);
  return bench_finish();
}
