/* appenders.c - eight processes that append messages while a ninth indexes them, against a lone writer
** without an indexer.  See crowd.h.  At the end every message must be in the store and in the index. */
#include <time.h>

#include "bare.h"
#include "conversation/appending.h"

#define REST_NS 50000000 /* between two calls of the indexer */

static void index_all(const bench_crowd *c, const bench_gate *g, unsigned seed, bench_tally *report) {
  (void)seed;
  stele_db *db = bench_open(c->home, "conversation", "full");
  bench_call(db, "conversation.index_messages", NULL);
  double end = bench_crowd_pass(c, g);
  while (bench_now() < end) {
    double start = bench_now();
    bench_crowd_note(report, start, stele_call(db, "conversation.index_messages", NULL, NULL) == STELE_OK);
    nanosleep(&(struct timespec){.tv_nsec = REST_NS}, NULL);
  }
  stele_close(db);
}

static int64_t rows_in(const char *home, const char *file, const char *sql) {
  bench_bare bare;
  bench_bare_open(&bare, home, file, false);
  int64_t rows = bench_bare_ask(&bare, sql);
  bench_bare_close(&bare);
  return rows;
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  bench_path home = bench_join(options.dir, "home");
  bench_crowd lone = {.home = home.text, .write = bench_append_round};
  lone.seconds = options.seconds > 0 ? options.seconds : 2;
  bench_crowd_init(&lone);
  bench_crowd eight = lone;
  eight.beside = index_all;
  stele_db *db = bench_open(home.text, "conversation", "full");
  bench_call(db, "conversation.index_messages", NULL); /* makes the store and the index */
  stele_close(db);
  bench_syncs_watch();

  bench_crowd_compare(&lone, &eight);
  int64_t written = lone.calls + eight.calls - lone.failures - eight.failures;
  db = bench_open(home.text, "conversation", "full");
  bench_call(db, "conversation.index_messages", NULL);
  stele_close(db);
  bench_put("lost", (double)(written - rows_in(home.text, "conversation.db", "SELECT COUNT(*) FROM messages")));
  bench_put("not_indexed",
            (double)(written - rows_in(home.text, "conversation.index.db",
                                       "SELECT CAST(value AS INTEGER) FROM stele_index WHERE key = 'rows'")));
  return bench_finish();
}
