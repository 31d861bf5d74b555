/* import.c - a hundred thousand messages taken in and indexed; what the other benchmarks then search.
**
** Sessions are imported in batches of about a megabyte, as `stele import` sends them.  Making the JSON is
** not part of the time; reading it is.  Then the index is made, and its parts are put together.  The store
** stays in the directory. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "conversation/messages.h"

#define BATCH_SESSIONS 2

/* When the last message was in the index; what comes after is merging. */
static double indexed_at;

static int note_progress(void *user, const char *what, int64_t done, int64_t total) {
  (void)user, (void)what, (void)done, (void)total;
  indexed_at = bench_now();
  return 0;
}

static double import_all(stele_db *db, unsigned sessions) {
  bench_text text = {0};
  double seconds = 0;
  for (unsigned s = 0; s < sessions; s += BATCH_SESSIONS) {
    text.length = 0;
    bench_sessions_json(&text, s, BATCH_SESSIONS);
    double start = bench_now();
    bench_call(db, "conversation.import_sessions", text.text);
    seconds += bench_now() - start;
  }
  free(text.text);
  return seconds;
}

static double raw_bytes(unsigned rows) {
  double bytes = 0;
  for (unsigned n = 0; n < rows; n++) {
    bench_message m = bench_message_at(n);
    bytes += (double)bench_message_raw(&m);
  }
  return bytes;
}

static double bytes_in(const char *home) {
  double bytes = 0;
  DIR *dir = opendir(home);
  if (!dir) bench_die("%s cannot be read", home);
  for (struct dirent *entry; (entry = readdir(dir));) {
    struct stat found;
    if (stat(bench_join(home, entry->d_name).text, &found) == 0 && S_ISREG(found.st_mode)) bytes += (double)found.st_size;
  }
  closedir(dir);
  return bytes;
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  unsigned rows = options.rows ? (unsigned)options.rows : 100000;
  unsigned sessions = (rows + BENCH_SESSION_MESSAGES - 1) / BENCH_SESSION_MESSAGES;
  sessions += sessions % BATCH_SESSIONS;
  rows = sessions * BENCH_SESSION_MESSAGES;
  bench_path home = bench_join(options.dir, "home");
  stele_db *db = NULL;
  stele_options how = {.size = sizeof how, .home = home.text, .progress = note_progress};
  bench_check(db, stele_open(&how, &db));
  bench_call(db, "conversation.session_count", NULL); /* makes the store */

  double import_seconds = import_all(db, sessions), start = bench_now(), start_cpu = bench_cpu();
  int64_t indexed = bench_ask(db, "conversation.index_messages", NULL, "indexed");
  double end = bench_now(), index_cpu = bench_cpu() - start_cpu;
  if (indexed != rows) bench_die("%lld of %u messages were indexed", (long long)indexed, rows);
  stele_close(db);

  double raw = raw_bytes(rows);
  bench_put("rows", rows);
  bench_put("raw_bytes", raw);
  bench_put("import_per_s", rows / import_seconds);
  bench_put("import_and_index_per_s", rows / (import_seconds + end - start));
  bench_put("index_per_s", rows / (indexed_at - start));
  bench_put("index_and_merge_per_s", rows / (end - start));
  bench_put("index_cpu_us_per_row", index_cpu / rows * 1e6);
  bench_put("index_bytes_per_s", raw / (indexed_at - start));
  bench_put("size_ratio", bytes_in(home.text) / raw);
  return bench_finish();
}
