/* enrich.c - how fast commands become knowledge: by the rules alone, and through a store, from the queue to the nodes.
**
** One thread; time is that of the processor, so that a busy machine does not matter.  Commands are made up: what they say is a few
** hundred bytes, and every seventh fails. */
#include <stdio.h>

#include "bench.h"
#include "enrich/enricher.h"

enum { BUNDLE = 10, ROUNDS = 4000, EVENTS = 10000, AT_ONCE = 1000 };

static const char *const COMMANDS[] = {"cargo test -p core%d", "git commit -m 'Fix %d'", "vim src/mod%d.rs", "make -j8 part%d", "docker logs web%d --tail 5",
                                       "RUST_LOG=debug pytest tests/test_%d.py | tail -3", "grep -rn foo%d src/ && curl https://example.org/%d"};
enum { KINDS = sizeof COMMANDS / sizeof *COMMANDS };

static void say(char *out, size_t room, int number) {
  size_t used = 0;
  for (int i = 0; i < 20; i++) used += (size_t)snprintf(out + used, room - used, "compiling part %d of %d\\n", i, number);
  if (number % 7 == 0) snprintf(out + used, room - used, "src/a%d.c:12:5: error: it is wrong\\nValueError: %d\\n", number % 9, number);
}

static double rules_per_s(void) {
  static char commands[BUNDLE][128], outputs[BUNDLE][2048];
  st_item items[BUNDLE];
  int64_t tickets[BUNDLE] = {0};
  st_bundle bundle = {.queue = "shell", .tickets = tickets, .ticket_count = BUNDLE, .items = items, .count = BUNDLE, .cwd = st_text_of("/src/u/shop")};
  st_arena arena;
  st_arena_init(&arena, (size_t)1 << 28);
  double began = bench_cpu();
  for (int round = 0; round < ROUNDS; round++) {
    char problem[100];
    st_learned learned;
    for (int i = 0; i < BUNDLE; i++) {
      snprintf(commands[i], sizeof commands[i], COMMANDS[(round + i) % KINDS], round % 50, i);
      if (round < 2) say(outputs[i], sizeof outputs[i], round * BUNDLE + i);
      items[i] = (st_item){.kind = ST_ITEM_COMMAND, .text = st_text_of(commands[i]), .output = st_text_of(outputs[i]), .numbered = true, .number = i % 7 == 0};
    }
    if (!st_extractive.learn(NULL, &arena, &bundle, &learned, problem, sizeof problem)) bench_die("out of memory");
    st_arena_reset(&arena);
  }
  st_arena_free(&arena);
  return ROUNDS * BUNDLE / (bench_cpu() - began);
}

static void insert(stele_db *db, int first) {
  static char args[AT_ONCE * 2600];
  char output[2048], command[128];
  size_t used = (size_t)sprintf(args, "{\"events\":[");
  for (int i = first; i < first + AT_ONCE; i++) {
    snprintf(command, sizeof command, COMMANDS[i % KINDS], i % 50, i % 9);
    output[0] = '\0';
    say(output, sizeof output, i);
    used += (size_t)sprintf(args + used,
                            "%s{\"terminal\":\"t%d\",\"timestamp\":%d,\"now\":1,\"command\":\"%s\",\"exit_code\":%d,\"stdout\":\"%s\",\"cwd\":\"/src/u/p%d\",\"hostname\":\"h\","
                            "\"shell\":\"zsh\",\"duration_ms\":500}",
                            i > first ? "," : "", i / 40, i * 2000, command, i % 7 == 0, output, i % 5);
  }
  sprintf(args + used, "]}");
  bench_call(db, "capture.insert_events", args);
}

static double store_per_s(const char *dir, const char *name, const char *args) {
  bench_path home = bench_join(dir, name);
  stele_db *db = bench_open(home.text, "capture", NULL);
  for (int i = 0; i < EVENTS; i += AT_ONCE) insert(db, i);
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
