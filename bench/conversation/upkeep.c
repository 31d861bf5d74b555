/* upkeep.c - replacing a thousand messages, and what a writer feels of pruning five thousand. */
#include <stdlib.h>

#include "conversation/appending.h"
#include "conversation/messages.h"

#define REPLACED 1000
#define RUNS 12
#define PRUNED_SESSIONS 25u /* of 200 messages */

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
  bench_crowd_note(report, start, pruned == PRUNED_SESSIONS * BENCH_SESSION_MESSAGES);
  stele_close(db);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  bench_path home = bench_join(options.dir, "upkeep");
  bench_import_sessions(home.text, PRUNED_SESSIONS);
  measure_replace(home.text);

  bench_crowd alone = {.home = home.text, .write = bench_append_round};
  alone.seconds = options.seconds > 0 ? options.seconds : 1;
  bench_crowd_init(&alone);
  bench_crowd pruned = alone;
  pruned.beside = prune;
  bench_syncs_watch();
  bench_crowd_put("alone", &alone, bench_crowd_round(&alone, 1));
  bench_crowd_put("pruned", &pruned, bench_crowd_round(&pruned, 1));
  return bench_finish();
}
