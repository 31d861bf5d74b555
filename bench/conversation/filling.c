/* filling.c - see filling.h. */
#include "conversation/filling.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BATCH 400 /* messages: about a megabyte */

/* At least one: sessions may be longer than a batch. */
static unsigned batch_sessions(void) {
  return bench_session_messages < BATCH ? BATCH / bench_session_messages : 1;
}

unsigned bench_whole_batches(unsigned rows) {
  unsigned batch = batch_sessions() * bench_session_messages;
  return (rows + batch - 1) / batch * batch;
}

double bench_fill(stele_db *db, unsigned rows) {
  bench_text text = {0};
  double seconds = 0;
  for (unsigned s = 0; s < rows / bench_session_messages; s += batch_sessions()) {
    text.length = 0;
    bench_sessions_json(&text, s, batch_sessions());
    double start = bench_now();
    bench_call(db, "conversation.import_sessions", text.text);
    seconds += bench_now() - start;
  }
  free(text.text);
  return seconds;
}

double bench_raw_bytes(unsigned rows) {
  double bytes = 0;
  for (unsigned n = 0; n < rows; n++) {
    bench_message m = bench_message_at(n);
    bytes += (double)bench_message_raw(&m);
  }
  return bytes;
}

double bench_bytes_in(const char *path, const char *prefix) {
  double bytes = 0;
  DIR *dir = opendir(path);
  if (!dir) bench_die("%s cannot be read", path);
  for (struct dirent *entry; (entry = readdir(dir));) {
    struct stat found;
    if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && stat(bench_join(path, entry->d_name).text, &found) == 0 &&
        S_ISREG(found.st_mode))
      bytes += (double)found.st_size;
  }
  closedir(dir);
  return bytes;
}
