/* crowd.c - see crowd.h. */
#include "crowd.h"

#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 3
#define READY_MS 20000
#define CALLS_MAX (1 << 18) /* of one writer in one round */

struct bench_tally {
  int64_t calls, failures;
  bench_syncs syncs;
  float ms[CALLS_MAX]; /* how long each call took */
};

/* Each writer tells that it is ready, and waits until the parent closes the start. */
struct bench_gate {
  int ready[2], start[2];
};

void bench_crowd_init(bench_crowd *c) {
  size_t size = (BENCH_WRITERS + 1) * sizeof *c->reports;
  c->reports = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (c->reports == MAP_FAILED) bench_die("out of memory");
}

double bench_crowd_pass(const bench_crowd *c, const bench_gate *g) {
  char byte = 0;
  bench_syncs_clear(); /* those of opening the store do not count */
  if (write(g->ready[1], &byte, 1) != 1 || read(g->start[0], &byte, 1) != 0) bench_die("the round did not begin");
  return bench_now() + c->seconds;
}

bool bench_crowd_goes_on(const bench_crowd *c, double end) {
  const volatile bench_tally *beside = &c->reports[c->writers];
  return bench_now() < end || (c->outlast && beside->calls == 0);
}

void bench_crowd_note(bench_tally *report, double start, bool good) {
  if (!good) report->failures++;
  if (report->calls < CALLS_MAX) report->ms[report->calls++] = (float)((bench_now() - start) * 1e3);
}

void bench_crowd_leave(bench_tally *report) {
  report->syncs = bench_syncs_read();
}

static void gather(bench_crowd *c, const bench_tally *report) {
  for (int64_t i = 0; i < report->calls; i++) bench_add(&c->ms, report->ms[i]);
  c->calls += report->calls;
  c->failures += report->failures;
  c->syncs.count += report->syncs.count;
  c->syncs.seconds += report->syncs.seconds;
  if (report->syncs.slowest > c->syncs.slowest) c->syncs.slowest = report->syncs.slowest;
}

/* A writer keeps no end of the gate that the parent must be the only one to have. */
static pid_t start_process(bench_work *work, const bench_crowd *c, const bench_gate *g, int number) {
  pid_t child = fork();
  if (child < 0) bench_die("no process");
  if (child != 0) return child;
  close(g->start[1]);
  c->reports[number].calls = c->reports[number].failures = 0;
  work(c, g, (unsigned)number * 1000003u + (unsigned)getpid(), &c->reports[number]);
  _exit(0);
}

static void open_gate(const bench_gate *g, int processes) {
  char byte;
  for (int i = 0; i < processes; i++) {
    struct pollfd ready = {.fd = g->ready[0], .events = POLLIN};
    if (poll(&ready, 1, READY_MS) != 1 || read(g->ready[0], &byte, 1) != 1) bench_die("a writer is not ready");
  }
  close(g->start[1]);
}

static void wait_for(pid_t child) {
  int status;
  if (waitpid(child, &status, 0) < 0 || status != 0) bench_die("a writer died");
}

double bench_crowd_round(bench_crowd *c, int writers) {
  pid_t children[BENCH_WRITERS + 1];
  bench_gate g;
  int processes = writers + (c->beside != NULL);
  c->writers = writers;
  int64_t before = c->calls;
  if (pipe(g.ready) != 0 || pipe(g.start) != 0) bench_die("no pipe");
  for (int i = 0; i < processes; i++) children[i] = start_process(i < writers ? c->write : c->beside, c, &g, i);
  open_gate(&g, processes);
  for (int i = 0; i < processes; i++) wait_for(children[i]);
  for (int i = 0; i < writers; i++) gather(c, &c->reports[i]);
  if (c->beside) c->failures += c->reports[writers].failures; /* its calls are no writes */
  close(g.ready[0]);
  close(g.ready[1]);
  close(g.start[0]);
  return (double)(c->calls - before) / c->seconds;
}

void bench_crowd_compare(bench_crowd *lone, bench_crowd *eight) {
  bench_samples lone_rates = {0}, eight_rates = {0}, ratios = {0};
  double before = bench_crowd_round(lone, 1);
  bench_add(&lone_rates, before);
  for (int i = 0; i < ROUNDS; i++) {
    double all = bench_crowd_round(eight, BENCH_WRITERS);
    double after = bench_crowd_round(lone, 1);
    bench_add(&eight_rates, all);
    bench_add(&lone_rates, after);
    bench_add(&ratios, all / ((before + after) / 2));
    before = after;
  }
  bench_put("ratio", bench_part(&ratios, 0.5));
  bench_crowd_put("lone", lone, bench_part(&lone_rates, 0.5));
  bench_crowd_put("eight", eight, bench_part(&eight_rates, 0.5));
}

void bench_crowd_put(const char *name, bench_crowd *c, double per_s) {
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
