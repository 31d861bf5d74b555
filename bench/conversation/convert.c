/* convert.c - what a writer feels while the search tables are moved into the store, and out of it again. */
#include "conversation/appending.h"
#include "conversation/messages.h"

#define SESSIONS 15u /* of 200 messages */

static void convert(const bench_crowd *c, const bench_gate *g, const char *args, bench_tally *report) {
  stele_db *db = bench_open(c->home, "conversation", "full");
  bench_call(db, "conversation.session_count", NULL);
  bench_crowd_pass(c, g);
  double start = bench_now();
  bench_crowd_note(report, start, stele_call(db, "conversation.reindex", args, NULL) == STELE_OK);
  stele_close(db);
}

static void convert_into(const bench_crowd *c, const bench_gate *g, unsigned seed, bench_tally *report) {
  (void)seed;
  convert(c, g, "{\"mode\":\"compatible\"}", report);
}

static void convert_back(const bench_crowd *c, const bench_gate *g, unsigned seed, bench_tally *report) {
  (void)seed;
  convert(c, g, "{\"mode\":\"stele\"}", report);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  unsigned sessions = options.rows ? (unsigned)options.rows / bench_session_messages : SESSIONS;
  bench_path home = bench_join(options.dir, "home");
  bench_import_sessions(home.text, sessions);
  bench_crowd into = {.home = home.text, .write = bench_append_round, .beside = convert_into};
  into.seconds = options.seconds > 0 ? options.seconds : 4;
  bench_crowd_init(&into);
  bench_crowd back = into;
  back.beside = convert_back;
  back.seconds /= 2;
  bench_syncs_watch();
  bench_put("rows", sessions * bench_session_messages);
  bench_crowd_put("into", &into, bench_crowd_round(&into, 1));
  bench_crowd_put("back", &back, bench_crowd_round(&back, 1));
  if (into.failures + back.failures) bench_die("an append or a conversion failed");
  return bench_finish();
}
