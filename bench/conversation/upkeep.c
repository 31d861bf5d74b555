/* upkeep.c - replacing a thousand messages, and what a writer feels of pruning a hundred thousand: in Stele, and in the original. */
#include <stdlib.h>

#include "conversation/appending.h"
#include "conversation/messages.h"
#include "conversation/side.h"

#define REPLACED 1000
#define RUNS 12

static unsigned pruned_sessions = 500; /* of 200 messages */

static void measure_replace(const char *home) {
  stele_db *db = bench_open(home, "conversation", "full");
  bench_text text = {0};
  bench_samples ms = {0}, cpu = {0};
  bench_ensure_session(db, "replaced");
  bench_text_format(&text, "{\"session_id\":\"replaced\",\"messages\":");
  bench_messages_json(&text, 100000, REPLACED);
  bench_text_add(&text, "}", 1);
  for (int i = 0; i <= RUNS; i++) {
    double start = bench_now(), start_cpu = bench_cpu();
    bench_call(db, "conversation.replace_messages", text.text);
    if (i == 0) continue; /* there was nothing to replace */
    bench_add(&ms, (bench_now() - start) * 1e3);
    bench_add(&cpu, (bench_cpu() - start_cpu) * 1e3);
  }
  bench_put_samples("replace", &ms);
  bench_put_samples("replace_cpu", &cpu);
  stele_close(db);
  free(text.text);
}

static void prune(const bench_crowd *c, const bench_gate *g, unsigned seed, bench_tally *report) {
  (void)seed;
  stele_db *db = bench_open(c->home, "conversation", "full");
  bench_call(db, "conversation.session_count", NULL);
  bench_crowd_pass(c, g);
  double start = bench_now();
  int64_t pruned = bench_ask(db, "conversation.prune_sessions", "{\"older_than_days\":0}", "messages");
  bench_crowd_note(report, start, pruned == pruned_sessions * bench_session_messages);
  stele_close(db);
}

/* ---- The original ---- */

static bench_options original_place; /* where it is */

static void original_append(const bench_crowd *c, const bench_gate *g, unsigned seed, bench_tally *report) {
  bench_original.open(&bench_original, &original_place, false);
  bench_original.rows = 1000000 + seed % 1000000; /* far from what is pruned */
  double end = bench_crowd_pass(c, g);
  for (int n = 0; bench_crowd_goes_on(c, end); n++) {
    double start = bench_now();
    bench_crowd_note(report, start, bench_original.deeds[BENCH_append](&bench_original, n) == 1);
  }
  bench_crowd_leave(report);
  bench_original.close(&bench_original);
}

static void original_prune(const bench_crowd *c, const bench_gate *g, unsigned seed, bench_tally *report) {
  (void)seed;
  bench_original.open(&bench_original, &original_place, false);
  bench_crowd_pass(c, g);
  double start = bench_now();
  bench_crowd_note(report, start, bench_original_prune(&bench_original) == pruned_sessions * bench_session_messages);
  bench_original.close(&bench_original);
}

static void measure_original(const bench_options *options, double seconds) {
  original_place = *options;
  bench_original.open(&bench_original, &original_place, true);
  bench_original.fill(&bench_original, pruned_sessions * bench_session_messages);
  bench_original_end_sessions(&bench_original);
  bench_original.close(&bench_original);
  bench_crowd pruned = {.home = options->dir, .write = original_append, .beside = original_prune, .outlast = true, .seconds = seconds};
  bench_crowd_init(&pruned);
  bench_crowd_put("original_pruned", &pruned, bench_crowd_round(&pruned, 1));
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  bench_path home = bench_join(options.dir, "upkeep");
  if (options.rows) pruned_sessions = (unsigned)options.rows / bench_session_messages;
  bench_put("pruned", pruned_sessions * bench_session_messages);
  bench_import_sessions(home.text, pruned_sessions);
  measure_replace(home.text);

  bench_crowd alone = {.home = home.text, .write = bench_append_round};
  alone.seconds = options.seconds > 0 ? options.seconds : 1;
  bench_crowd_init(&alone);
  bench_crowd pruned = alone;
  pruned.beside = prune;
  pruned.outlast = true;
  bench_syncs_watch();
  bench_crowd_put("alone", &alone, bench_crowd_round(&alone, 1));
  bench_crowd_put("pruned", &pruned, bench_crowd_round(&pruned, 1));
  measure_original(&options, alone.seconds);
  return bench_finish();
}
