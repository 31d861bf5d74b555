/* kill.c - writers are killed in the middle of their work; what they were told must be true.
**
**     kill [--cycles N] [--processes N] [--seed S] [--engine sqlite|postgres]
**          [--bug dropped-rollback|early-ack] [--seeded]
**
** A cycle: several processes write to one telemetry store, each saying what it is about to do and
** what has been acknowledged; at a random moment all are killed with SIGKILL; then the store must
** hold every acknowledged record once, every batch and transaction whole or not at all, and nothing
** else.  --bug puts a bug in; --seeded passes if and only if each bug is found. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kill/ledger.h"
#include "kill/verify.h"
#include "kill/writer.h"

#define LONGEST_MS 200    /* from the first acknowledgement to the end */
#define PATIENCE_MS 60000 /* for a first acknowledgement, or for the end of a cycle in peace */
#define QUOTA 25          /* operations of a writer that is not killed */
#define LIFE 200          /* cycles of a store: looking at all of it takes longer with each */

typedef struct settings {
  int cycles, processes;
  uint64_t seed;
  st_engine engine;
  bug bug;
  bool seeded;
} settings;

typedef struct crowd {
  pid_t pids[WRITERS_MAX];
  int pipes[WRITERS_MAX];
  int count;
} crowd;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* splitmix64: independent numbers from a seed, a cycle and a writer. */
static uint64_t mix(uint64_t seed, int cycle, int number) {
  uint64_t z = seed + (uint64_t)(cycle * WRITERS_MAX + number + 1) * UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return (z ^ z >> 31) | 1;
}

/* In the first cycle nobody is killed: all must come to their end, and none be stuck. */
static bool is_peaceful(int cycle) { return cycle == 1; }

/* ---- Processes ------------------------------------------------------------------------------ */

static bool start_writer(crowd *c, const settings *s, const place *p, int cycle) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  fflush(NULL);
  pid_t pid = fork();
  if (pid < 0) return false;
  if (pid == 0) {
    writer w = {.place = p, .cycle = cycle, .number = c->count, .pipe = ends[1], .bug = s->bug};
    w.quota = is_peaceful(cycle) ? QUOTA : 0;
    w.random = mix(s->seed, cycle, c->count);
    for (int i = 0; i < c->count; i++) close(c->pipes[i]);
    close(ends[0]);
    writer_run(&w);
    _exit(0);
  }
  close(ends[1]);
  c->pids[c->count] = pid;
  c->pipes[c->count++] = ends[0];
  return true;
}

/* Take what comes until the time is over, or to the end when until is negative; perhaps only to the
** first acknowledgement.  False: the time was over first. */
static bool listen_until(crowd *c, ledger *l, int64_t until, bool stop_at_first) {
  struct pollfd fds[WRITERS_MAX];
  int open = 0;
  for (int i = 0; i < c->count; i++) {
    fds[i] = (struct pollfd){.fd = c->pipes[i], .events = POLLIN};
    open += c->pipes[i] >= 0;
  }
  while (open > 0) {
    int64_t left = until < 0 ? -1 : until - now_ms();
    if (until >= 0 && left <= 0) return false;
    if (poll(fds, (nfds_t)c->count, (int)left) < 0 && errno != EINTR) return false;
    for (int i = 0; i < c->count; i++) {
      message m;
      if (fds[i].fd < 0 || !(fds[i].revents & (POLLIN | POLLHUP))) continue;
      if (read(fds[i].fd, &m, sizeof m) == sizeof m) {
        ledger_take(l, i, &m);
        if (stop_at_first && m.kind == MESSAGE_DONE) return true;
      } else { /* it is dead, or about to be */
        fds[i].fd = -1;
        open--;
      }
    }
  }
  return true;
}

static void kill_all(crowd *c) {
  for (int i = 0; i < c->count; i++) kill(c->pids[i], SIGKILL);
  for (int i = 0; i < c->count; i++)
    while (waitpid(c->pids[i], NULL, 0) < 0 && errno == EINTR) continue;
}

/* ---- One cycle ------------------------------------------------------------------------------ */

/* Most cycles end a little after the first acknowledgement; in some the store is not even open yet.
** False: not all writers could be started, or some are stuck. */
static bool run_cycle(const settings *s, const place *p, ledger *l, int cycle) {
  crowd c = {.count = 0};
  uint64_t random = mix(s->seed, cycle, WRITERS_MAX - 1);
  bool started = true;
  ledger_clear(l);
  l->cycle = cycle;
  l->writers = s->processes;
  l->quota = is_peaceful(cycle) ? QUOTA : 0;
  while (started && c.count < s->processes) started = start_writer(&c, s, p, cycle);
  if (is_peaceful(cycle)) {
    started = listen_until(&c, l, now_ms() + PATIENCE_MS, false);
  } else {
    if (random % 5 != 0) listen_until(&c, l, now_ms() + PATIENCE_MS, true);
    listen_until(&c, l, now_ms() + 1 + (int64_t)(random / 5 % LONGEST_MS), false);
  }
  kill_all(&c);
  listen_until(&c, l, -1, false);
  for (int i = 0; i < c.count; i++) close(c.pipes[i]);
  return started;
}

/* The number of problems found. */
static int run(const settings *s, bool report) {
  static ledger l;
  place p;
  int done = 0, problems = 0;
  if (!place_make(&p, s->engine)) return 1;
  verifier v = {.place = &p};
  for (int cycle = 1; cycle <= s->cycles && (report || problems == 0); cycle++) {
    if (cycle % LIFE == 0) {
      place_remove(&p);
      if (!place_make(&p, s->engine)) return 1;
      v = (verifier){.place = &p};
    }
    v.problems = run_cycle(s, &p, &l, cycle) ? 0 : 1;
    verify(&v, &l);
    done += ledger_done(&l);
    problems += v.problems;
    if (report && (s->cycles <= LIFE || v.problems || cycle % LIFE == 0)) /* of many, some */
      printf("%sok - cycle %d: %d calls were acknowledged\n", v.problems ? "not " : "", cycle, ledger_done(&l));
    fflush(stdout);
  }
  if (report) { /* with too few it would have tested nothing */
    printf("%sok - %d calls in all\n", done > s->cycles ? "" : "not ", done);
    problems += done <= s->cycles;
  }
  ledger_clear(&l);
  place_remove(&p);
  return problems;
}

static bool run_seeded(settings s) {
  static const char *const names[] = {[BUG_DROPPED_ROLLBACK] = "dropped rollback", [BUG_EARLY_ACK] = "early acknowledgement"};
  bool all = true;
  for (int b = BUG_DROPPED_ROLLBACK; b <= BUG_EARLY_ACK; b++) {
    s.bug = (bug)b;
    bool found = run(&s, false) > 0;
    printf("%sok - a seeded bug is found: %s\n", found ? "" : "not ", names[b]);
    all = all && found;
  }
  return all;
}

/* ---- The command line ----------------------------------------------------------------------- */

static bool set_option(settings *s, const char *name, const char *value) {
  if (strcmp(name, "--cycles") == 0) s->cycles = atoi(value);
  else if (strcmp(name, "--processes") == 0) s->processes = atoi(value);
  else if (strcmp(name, "--seed") == 0) s->seed = strtoull(value, NULL, 0);
  else if (strcmp(name, "--engine") == 0) s->engine = strcmp(value, "postgres") == 0 ? ST_POSTGRES : ST_SQLITE;
  else if (strcmp(name, "--bug") == 0 && strcmp(value, "dropped-rollback") == 0) s->bug = BUG_DROPPED_ROLLBACK;
  else if (strcmp(name, "--bug") == 0 && strcmp(value, "early-ack") == 0) s->bug = BUG_EARLY_ACK;
  else return false;
  return true;
}

int main(int argc, char **argv) {
  settings s = {.cycles = 20, .processes = 8, .seed = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--seeded") == 0) s.seeded = true;
    else if (i + 1 < argc && set_option(&s, argv[i], argv[i + 1])) i++;
    else return fprintf(stderr, "kill: what is %s?\n", argv[i]), 2;
  }
  if (s.cycles < 1 || s.processes < 1 || s.processes > WRITERS_MAX - 1) return fprintf(stderr, "kill: a number is wrong\n"), 2;
  signal(SIGPIPE, SIG_IGN);
  printf("# seed %llu\n", (unsigned long long)s.seed);
  return s.seeded ? !run_seeded(s) : run(&s, true) > 0;
}
