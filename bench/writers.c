/* writers.c - eight processes that write to one store at durability full, one record per call.
**
** Rounds of a lone writer and of eight alternate, so that a slow moment of the disk hits both; a
** round of eight is held against the lone writers just before and after it.  Then eight processes
** do the same with SQLite and its busy timeout alone.  Every sync is timed in the writers. */
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bare.h"
#include "sync_vfs.h"

#define WRITERS 8
#define ROUNDS 3
#define READY_MS 20000
#define CALLS_MAX (1 << 18) /* of one writer in one round */

/* What a writer reports, in memory shared with its parent. */
typedef struct tally {
  int64_t calls, failures;
  bench_syncs syncs;
  float ms[CALLS_MAX]; /* how long each call took */
} tally;

typedef struct crowd {
  const char *home;
  double seconds; /* length of a round */
  tally *reports; /* one per writer */
  bench_samples ms;
  bench_syncs syncs;
  int64_t failures;
} crowd;

/* How parent and writers begin a round together: each writer tells that it is ready, and waits until
** the parent closes the start. */
typedef struct gate {
  int ready[2], start[2];
} gate;

/* A writer's work for one round. */
typedef void write_round(const crowd *c, const gate *g, unsigned seed, tally *report);

static double pass_gate(const gate *g) {
  char byte = 0;
  bench_syncs_clear(); /* those of opening the store do not count */
  if (write(g->ready[1], &byte, 1) != 1 || read(g->start[0], &byte, 1) != 0) bench_die("the round did not begin");
  return bench_now();
}

static void note_call(tally *report, double start, bool good) {
  if (!good) report->failures++;
  if (report->calls < CALLS_MAX) report->ms[report->calls++] = (float)((bench_now() - start) * 1e3);
}

static void write_with_stele(const crowd *c, const gate *g, unsigned seed, tally *report) {
  char args[600];
  stele_db *db = bench_open(c->home, "full");
  bench_call(db, "telemetry.check_health", NULL); /* opens the store */
  double start, end = pass_gate(g) + c->seconds;
  while ((start = bench_now()) < end) {
    bench_record record = bench_record_at(seed++);
    bench_record_json(&record, args);
    note_call(report, start, stele_call(db, "telemetry.record_invocation", args, NULL) == STELE_OK);
  }
  report->syncs = bench_syncs_read();
  stele_close(db);
}

static void write_bare(const crowd *c, const gate *g, unsigned seed, tally *report) {
  bench_bare bare;
  bench_bare_open(&bare, c->home, true);
  double start, end = pass_gate(g) + c->seconds;
  while ((start = bench_now()) < end) note_call(report, start, bench_bare_write(&bare, seed++, 1));
  report->syncs = bench_syncs_read();
  bench_bare_close(&bare);
}

static void gather(crowd *c, const tally *report) {
  for (int64_t i = 0; i < report->calls; i++) bench_add(&c->ms, report->ms[i]);
  c->failures += report->failures;
  c->syncs.count += report->syncs.count;
  c->syncs.seconds += report->syncs.seconds;
  if (report->syncs.slowest > c->syncs.slowest) c->syncs.slowest = report->syncs.slowest;
}

/* A writer keeps no end of the gate that the parent must be the only one to have. */
static pid_t start_writer(write_round *work, const crowd *c, const gate *g, int number) {
  pid_t child = fork();
  if (child != 0) return child;
  close(g->start[1]);
  c->reports[number].calls = c->reports[number].failures = 0;
  work(c, g, (unsigned)number * 1000003u + (unsigned)getpid(), &c->reports[number]);
  _exit(0);
}

static void open_gate(const gate *g, int writers) {
  char byte;
  for (int i = 0; i < writers; i++) {
    struct pollfd ready = {.fd = g->ready[0], .events = POLLIN};
    if (poll(&ready, 1, READY_MS) != 1 || read(g->ready[0], &byte, 1) != 1) bench_die("a writer is not ready");
  }
  close(g->start[1]);
}

/* One round; answers calls per second. */
static double run_round(crowd *c, write_round *work, int writers) {
  pid_t children[WRITERS];
  gate g;
  int status;
  int64_t calls = 0;
  if (pipe(g.ready) != 0 || pipe(g.start) != 0) bench_die("no pipe");
  for (int i = 0; i < writers; i++)
    if ((children[i] = start_writer(work, c, &g, i)) < 0) bench_die("no process");
  open_gate(&g, writers);
  for (int i = 0; i < writers; i++) {
    if (waitpid(children[i], &status, 0) < 0 || status != 0) bench_die("a writer died");
    gather(c, &c->reports[i]);
    calls += c->reports[i].calls;
  }
  close(g.ready[0]);
  close(g.ready[1]);
  close(g.start[0]);
  return (double)calls / c->seconds;
}

static void put_crowd(const char *name, crowd *c, double per_s) {
  char full[60];
  snprintf(full, sizeof full, "%s_per_s", name);
  bench_put(full, per_s);
  bench_put_samples(name, &c->ms);
  snprintf(full, sizeof full, "%s_failures", name);
  bench_put(full, (double)c->failures);
  snprintf(full, sizeof full, "%s_slowest_sync_ms", name);
  bench_put(full, c->syncs.slowest * 1e3);
  snprintf(full, sizeof full, "%s_mean_sync_ms", name);
  bench_put(full, c->syncs.count ? c->syncs.seconds / (double)c->syncs.count * 1e3 : 0);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  bench_path home = bench_join(options.dir, "stele"), bare_home = bench_join(options.dir, "bare");
  double seconds = options.seconds > 0 ? options.seconds : 2;
  tally *reports = mmap(NULL, WRITERS * sizeof *reports, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (reports == MAP_FAILED) bench_die("out of memory");
  crowd lone = {home.text, seconds, reports, {0}, {0}, 0}, eight = lone, bare = lone;
  bench_samples lone_rates = {0}, eight_rates = {0}, ratios = {0};
  bare.home = bare_home.text;
  stele_close(bench_fill(home.text, "full"));
  stele_close(bench_fill(bare_home.text, "full"));
  bench_syncs_watch();

  double before = run_round(&lone, write_with_stele, 1);
  bench_add(&lone_rates, before);
  for (int i = 0; i < ROUNDS; i++) {
    double all = run_round(&eight, write_with_stele, WRITERS);
    double after = run_round(&lone, write_with_stele, 1);
    bench_add(&eight_rates, all);
    bench_add(&lone_rates, after);
    bench_add(&ratios, all / ((before + after) / 2));
    before = after;
  }
  double bare_rate = run_round(&bare, write_bare, WRITERS);

  bench_put("writers", WRITERS);
  bench_put("ratio", bench_part(&ratios, 0.5));
  put_crowd("lone", &lone, bench_part(&lone_rates, 0.5));
  put_crowd("eight", &eight, bench_part(&eight_rates, 0.5));
  put_crowd("bare", &bare, bare_rate);
  return bench_finish();
}
