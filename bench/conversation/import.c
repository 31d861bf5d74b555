/* import.c - a hundred thousand messages taken in and indexed; what the other benchmarks then search.
**
** Then the index is made, and its parts are put together.  The store stays in the directory. */
#include "conversation/filling.h"

/* When the last message was in the index; what comes after is merging. */
static double indexed_at;

static int note_progress(void *user, const char *what, int64_t done, int64_t total) {
  (void)user, (void)what, (void)done, (void)total;
  indexed_at = bench_now();
  return 0;
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  unsigned rows = bench_whole_batches(options.rows ? (unsigned)options.rows : 100000);
  bench_path home = bench_join(options.dir, "home");
  stele_db *db = NULL;
  stele_options how = {.size = sizeof how, .home = home.text, .progress = note_progress};
  bench_check(db, stele_open(&how, &db));
  bench_call(db, "conversation.session_count", NULL); /* makes the store */

  double import_seconds = bench_fill(db, rows), start = bench_now(), start_cpu = bench_cpu();
  int64_t indexed = bench_ask(db, "conversation.index_messages", NULL, "indexed");
  double end = bench_now(), index_cpu = bench_cpu() - start_cpu;
  if (indexed != rows) bench_die("%lld of %u messages were indexed", (long long)indexed, rows);
  stele_close(db);

  double raw = bench_raw_bytes(rows);
  bench_put("rows", rows);
  bench_put("raw_bytes", raw);
  bench_put("import_per_s", rows / import_seconds);
  bench_put("import_and_index_per_s", rows / (import_seconds + end - start));
  bench_put("index_per_s", rows / (indexed_at - start));
  bench_put("index_and_merge_per_s", rows / (end - start));
  bench_put("index_cpu_us_per_row", index_cpu / rows * 1e6);
  bench_put("index_bytes_per_s", raw / (indexed_at - start));
  bench_put("size_ratio", bench_bytes_in(home.text, "") / raw);
  return bench_finish();
}
