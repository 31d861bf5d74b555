/* calls.c - one process that appends durable messages, one commit per call: what the server's shared
** commits are measured against (bench/serve/load.py). */
#include <stdio.h>

#include "bench.h"

#define SECONDS 2.0

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  bench_samples ms = {0};
  stele_db *db = bench_open(options.dir, "conversation", NULL);
  bench_call(db, "conversation.ensure_session", "{\"session_id\":\"bench\",\"source\":\"cli\"}");
  double began = bench_now(), end = began + (options.seconds > 0 ? options.seconds : SECONDS), start;
  while ((start = bench_now()) < end) {
    bench_call(db, "conversation.append_message",
               "{\"session_id\":\"bench\",\"role\":\"user\",\"content\":\"how did I fix that?\"}");
    bench_add(&ms, (bench_now() - start) * 1e3);
  }
  bench_put("per_second", (double)ms.count / (bench_now() - began));
  bench_put_samples("ms", &ms);
  stele_close(db);
  return bench_finish();
}
