/* bench.h - what the benchmark programs share: the clock, samples, a store to measure, and the result.
**
** Each program measures one thing, prints one JSON object of numbers on stdout and exits 0; when
** anything fails it says so on stderr and exits 1.  bench/run.py runs them and judges the numbers. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stele.h"

/* The command line, the same for every program; --dir or --database is required. */
typedef struct bench_options {
  const char *dir;      /* a directory on the disk to measure, empty unless the program says otherwise; it fills it */
  const char *database; /* postgres://...?schema=NAME: measure that instead, where the program can */
  int rows;             /* 0: the program's own number */
  const char *only;     /* names of what is to be done, with commas between; NULL: all */
  int per_session;      /* messages of a session; 0: the program's own number */
  bool brief;           /* messages are all short */
  double seconds;       /* length of each timed stretch; 0: the program's own */
} bench_options;

bench_options bench_start(int argc, char **argv);
/* Is it one of those that are to be done? */
bool bench_wanted(const bench_options *options, const char *name);

void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Monotonic time in seconds. */
double bench_now(void);
/* Seconds that this process spent computing, kernel included; waiting does not count. */
double bench_cpu(void);

/* The most memory that this process had so far, in MiB. */
double bench_peak_rss(void);

/* Well mixed, and a function of n alone (SplitMix64). */
uint64_t bench_mix(uint64_t n);

/* A path inside the directory; ends the program if it is too long. */
typedef struct bench_path {
  char text[1024];
} bench_path;
bench_path bench_join(const char *dir, const char *name);

/* Open a home, or one store elsewhere (postgres://...?schema=NAME), ending the program on failure.
** durability may be NULL: the store's own. */
stele_db *bench_open(const char *home, const char *store, const char *durability);
stele_db *bench_open_database(const char *location, const char *store);

/* Call a method, ending the program on failure.  The reply is dropped. */
void bench_call(stele_db *db, const char *method, const char *args);
/* A number of the reply, by its name. */
int64_t bench_ask(stele_db *db, const char *method, const char *args, const char *name);
/* Bind nothing more, run to the end, make ready again.  Answers the rows. */
size_t bench_run(stele_db *db, stele_stmt *stmt);
/* End the program, telling the handle's failure, unless status is OK. */
void bench_check(stele_db *db, stele_status status);

/* Times, in milliseconds or whatever is added. */
typedef struct bench_samples {
  double *values;
  size_t count, room;
} bench_samples;
void bench_add(bench_samples *samples, double value);
/* The value below which a part (0..1) of the samples lies; sorts them. */
double bench_part(bench_samples *samples, double part);

/* The result: numbers by name. */
void bench_put(const char *name, double value);
/* name_p50, name_p95, name_p99, name_max, name_count. */
void bench_put_samples(const char *name, bench_samples *samples);
int bench_finish(void); /* prints them; answers the exit status of main */

#endif
