/* writers.c - eight processes that record invocations, against a lone one; then the same with SQLite
** and its busy timeout alone.  See crowd.h. */
#include "crowd.h"
#include "telemetry/records.h"

static void write_with_stele(const bench_crowd *c, const bench_gate *g, unsigned seed, bench_tally *report) {
  char args[600];
  stele_db *db = bench_open(c->home, "telemetry", "full");
  bench_call(db, "telemetry.check_health", NULL); /* opens the store */
  double start, end = bench_crowd_pass(c, g);
  while ((start = bench_now()) < end) {
    bench_record record = bench_record_at(seed++);
    bench_record_json(&record, args);
    bench_crowd_note(report, start, stele_call(db, "telemetry.record_invocation", args, NULL) == STELE_OK);
  }
  bench_crowd_leave(report);
  stele_close(db);
}

static void write_bare(const bench_crowd *c, const bench_gate *g, unsigned seed, bench_tally *report) {
  bench_bare bare;
  bench_bare_open(&bare, c->home, "telemetry.db", true);
  sqlite3_stmt *insert = bench_records_prepare(&bare);
  double start, end = bench_crowd_pass(c, g);
  while ((start = bench_now()) < end)
    bench_crowd_note(report, start, bench_records_write(&bare, insert, seed++, 1));
  bench_crowd_leave(report);
  sqlite3_finalize(insert);
  bench_bare_close(&bare);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  bench_path home = bench_join(options.dir, "stele"), bare_home = bench_join(options.dir, "bare");
  bench_crowd lone = {.home = home.text, .write = write_with_stele};
  lone.seconds = options.seconds > 0 ? options.seconds : 2;
  bench_crowd_init(&lone);
  bench_crowd eight = lone, bare = lone;
  bare.home = bare_home.text;
  bare.write = write_bare;
  stele_close(bench_fill(home.text, "full"));
  stele_close(bench_fill(bare_home.text, "full"));
  bench_syncs_watch();

  bench_crowd_compare(&lone, &eight);
  bench_crowd_put("bare", &bare, bench_crowd_round(&bare, BENCH_WRITERS));
  return bench_finish();
}
