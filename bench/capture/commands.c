/* commands.c - see commands.h. */
#include "capture/commands.h"

#include <stdio.h>

static const char *const COMMANDS[] = {"cargo test -p core%d", "git commit -m 'Fix %d'", "vim src/mod%d.rs", "make -j8 part%d", "docker logs web%d --tail 5",
                                       "RUST_LOG=debug pytest tests/test_%d.py | tail -3", "grep -rn foo%d src/ && curl https://example.org/%d"};
enum { KINDS = sizeof COMMANDS / sizeof *COMMANDS };

void bench_command(char *out, size_t room, int n, int number, int other) {
  snprintf(out, room, COMMANDS[n % KINDS], number, other);
}

void bench_command_output(char *out, size_t room, int n) {
  size_t used = 0;
  for (int i = 0; i < 20; i++) used += (size_t)snprintf(out + used, room - used, "compiling part %d of %d\\n", i, n);
  if (n % 7 == 0) snprintf(out + used, room - used, "src/a%d.c:12:5: error: it is wrong\\nValueError: %d\\n", n % 9, n);
}

void bench_insert_commands(stele_db *db, int first) {
  static char args[BENCH_COMMANDS * 2600];
  char output[2048], command[128];
  size_t used = (size_t)sprintf(args, "{\"events\":[");
  for (int i = first; i < first + BENCH_COMMANDS; i++) {
    bench_command(command, sizeof command, i, i % 50, i % 9);
    bench_command_output(output, sizeof output, i);
    used += (size_t)sprintf(args + used,
                            "%s{\"terminal\":\"t%d\",\"timestamp\":%lld,\"now\":1,\"command\":\"%s\",\"exit_code\":%d,\"stdout\":\"%s\",\"cwd\":\"/src/u/p%d\",\"hostname\":\"h\","
                            "\"shell\":\"zsh\",\"duration_ms\":500}",
                            i > first ? "," : "", i / 40, i * 2000LL, command, i % 7 == 0, output, i % 5);
  }
  sprintf(args + used, "]}");
  bench_call(db, "capture.insert_events", args);
}
