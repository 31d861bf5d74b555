/* cold.c - the first answer after a pause: a process that has just begun, and files that are not in memory.
**
** For each side and each thing a user does, what the kernel holds of the side's files is given up (POSIX_FADV_DONTNEED:
** pages that were written and that nobody maps), and a new process opens the side and does it once.  The time is from
** opening to the end.  It is not a start of the machine: the disk, and whatever is below this machine, may still hold the
** bytes; programs and libraries are in memory.  The directory is one that bench_growth left. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conversation/filling.h"
#include "conversation/side.h"

#define TIMES 9
#define LEAST 3    /* times, however long that takes; */
#define SECONDS 60 /* more often only for so long */

/* What a process tells of itself, in memory shared with its parent. */
typedef struct told {
  double ms, rss_mb;
} told;

static void forget_file(const char *path) {
  int fd = open(path, O_RDONLY);
  if (fd < 0) return;
  fsync(fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  close(fd);
}

static void forget_files(const char *home) {
  DIR *dir = opendir(home);
  if (!dir) bench_die("%s cannot be read: run bench_growth with the same directory first", home);
  for (struct dirent *entry; (entry = readdir(dir));)
    if (entry->d_type == DT_REG) forget_file(bench_join(home, entry->d_name).text);
  closedir(dir);
}

static void do_once(bench_side *side, const bench_options *options, int deed, int n, told *out) {
  double start = bench_now();
  side->open(side, options, false);
  side->deeds[deed](side, n);
  out->ms = (bench_now() - start) * 1e3;
  out->rss_mb = bench_peak_rss();
  side->close(side);
}

static void in_new_process(bench_side *side, const bench_options *options, int deed, int n, told *out) {
  int status;
  pid_t child = fork();
  if (child < 0) bench_die("no process");
  if (child == 0) {
    do_once(side, options, deed, n, out);
    _exit(0);
  }
  if (waitpid(child, &status, 0) < 0 || status != 0) bench_die("%s: a process died", side->name);
}

static void measure(bench_side *side, const bench_options *options, int deed, const char *name, told *out) {
  bench_samples ms = {0};
  char full[80];
  double rss = 0, end = bench_now() + SECONDS;
  for (int n = 0; n < TIMES && (n < LEAST || bench_now() < end); n++) {
    forget_files(bench_side_home(side, options).text);
    in_new_process(side, options, deed, n, out);
    bench_add(&ms, out->ms);
    if (out->rss_mb > rss) rss = out->rss_mb;
  }
  snprintf(full, sizeof full, "%s_cold_%s", side->name, name);
  bench_put_samples(full, &ms);
  snprintf(full, sizeof full, "%s_%s_rss_mb", side->name, name);
  bench_put(full, rss);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  told *out = mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (out == MAP_FAILED || !options.dir) bench_die("cold measures files in a directory");
  if (options.per_session) bench_session_messages = (unsigned)options.per_session;
  bench_brief = options.brief;
  unsigned rows = bench_whole_batches(options.rows ? (unsigned)options.rows : 10000);
  bench_word(0); /* the words are made once, not by every process */
  for (bench_side **side = bench_sides(&options); *side; side++) {
    (*side)->rows = rows;
    for (int deed = 0; deed < BENCH_DEED_COUNT; deed++)
      if ((*side)->deeds[deed] && deed != BENCH_export && bench_wanted(&options, bench_deeds[deed].name))
        measure(*side, &options, deed, bench_deeds[deed].name, out);
  }
  return bench_finish();
}
