/* enrich.c - how fast commands become knowledge: by the rules alone, and through a store, from the queue to the nodes.
**
** One thread; time is that of the processor, so that a busy machine does not matter. */
#include <stdio.h>

#include "capture/commands.h"
#include "enrich/enricher.h"

enum { BUNDLE = 10, ROUNDS = 4000, EVENTS = 10000 };

static double rules_per_s(void) {
  static char commands[BUNDLE][128], outputs[BUNDLE][2048];
  st_item items[BUNDLE];
  int64_t tickets[BUNDLE] = {0};
  st_bundle bundle = {.queue = "shell", .tickets = tickets, .ticket_count = BUNDLE, .items = items, .count = BUNDLE, .cwd = st_text_of("/src/u/shop")};
  st_arena arena;
  st_arena_init(&arena, (size_t)1 << 28);
  double began = bench_cpu();
  for (int round = 0; round < ROUNDS; round++) {
    st_problem problem = {{0}};
    st_learned learned;
    for (int i = 0; i < BUNDLE; i++) {
      bench_command(commands[i], sizeof commands[i], round + i, round % 50, i);
      if (round < 2) bench_command_output(outputs[i], sizeof outputs[i], round * BUNDLE + i);
      items[i] = (st_item){.kind = ST_ITEM_COMMAND, .text = st_text_of(commands[i]), .output = st_text_of(outputs[i]), .numbered = true, .number = i % 7 == 0};
    }
    if (st_extractive.learn(NULL, &arena, &bundle, &learned, &problem) != ST_LEARNED) bench_die("out of memory");
    st_arena_reset(&arena);
  }
  st_arena_free(&arena);
  return ROUNDS * BUNDLE / (bench_cpu() - began);
}

static double store_per_s(const char *dir, const char *name, const char *args) {
  bench_path home = bench_join(dir, name);
  stele_db *db = bench_open(home.text, "capture", NULL);
  for (int i = 0; i < EVENTS; i += BENCH_COMMANDS) bench_insert_commands(db, i);
  double began = bench_cpu();
  bench_call(db, "capture.enrich", args);
  double took = bench_cpu() - began;
  stele_close(db);
  return EVENTS / took;
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  if (!options.dir) bench_die("it measures in a directory only");
  bench_put("rules_per_s", rules_per_s());
  bench_put("store_10_per_s", store_per_s(options.dir, "tens", "{}"));
  bench_put("store_100_per_s", store_per_s(options.dir, "hundreds", "{\"batch\":100}"));
  return bench_finish();
}
