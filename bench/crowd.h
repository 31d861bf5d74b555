/* crowd.h - several processes that write to one store at durability full, one row per call.
**
** Rounds of a lone writer and of eight alternate, so that a slow moment of the disk hits both; a
** round of eight is held against the lone writers just before and after it.  Every sync is timed in
** the writers. */
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include <stdbool.h>

#include "bench.h"
#include "sync_vfs.h"

#define BENCH_WRITERS 8

/* How parent and writers begin a round together. */
typedef struct bench_gate bench_gate;
/* What a writer reports, in memory shared with its parent. */
typedef struct bench_tally bench_tally;

typedef struct bench_crowd bench_crowd;

/* A writer's work for one round: open the store, pass the gate, call until the end, close.  The seed is
** another one for each writer of each round. */
typedef void bench_work(const bench_crowd *c, const bench_gate *g, unsigned seed, bench_tally *report);

struct bench_crowd {
  const char *home;
  double seconds;       /* length of a round */
  bench_work *write;    /* what each writer does */
  bench_work *beside;   /* what one more process does while eight write; NULL: there is none */
  bool outlast;         /* write at least until that has noted a call */
  bench_tally *reports; /* one per writer, and one; bench_crowd_init() makes them */
  bench_samples ms;     /* how long each call of a writer took, in all rounds */
  bench_syncs syncs;
  int64_t calls, failures;
  int writers; /* of this round */
};

void bench_crowd_init(bench_crowd *c);

/* Tell that the store is open and wait for the others; answers when to end. */
double bench_crowd_pass(const bench_crowd *c, const bench_gate *g);
/* Is there more to write, before the end that was told? */
bool bench_crowd_goes_on(const bench_crowd *c, double end);
/* Note a call that began at `start` and has just come back. */
void bench_crowd_note(bench_tally *report, double start, bool good);
/* The last thing that a writer does before it closes the store. */
void bench_crowd_leave(bench_tally *report);

/* One round; answers calls per second. */
double bench_crowd_round(bench_crowd *c, int writers);
/* The rounds of both, put as lone_..., eight_... and ratio, eight to lone. */
void bench_crowd_compare(bench_crowd *lone, bench_crowd *eight);
/* Put the figures of all rounds: NAME_per_s and the times of calls and syncs. */
void bench_crowd_put(const char *name, bench_crowd *c, double per_s);

#endif
