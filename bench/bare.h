/* bare.h - the yardstick: what a C program does on the same file with nothing between it and SQLite. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "bench.h"

typedef struct bench_bare {
  sqlite3 *db;
  sqlite3_stmt *begin, *commit;
} bench_bare;

/* Open a file that Stele made, e.g. telemetry.db, so that tables and indexes are the same, with the
** pragmas that Stele sets.  SQLite's own lock is waited for with its busy timeout, 20 s. */
void bench_bare_open(bench_bare *bare, const char *home, const char *file, bool full);
/* Begin a transaction that writes.  False: SQLITE_BUSY. */
bool bench_bare_begin(bench_bare *bare);
void bench_bare_commit(bench_bare *bare);
void bench_bare_close(bench_bare *bare);

/* The number that a statement's first row has in its first column. */
int64_t bench_bare_ask(bench_bare *bare, const char *sql);

/* Prepare, run to the end and reset a statement; they end the program on failure. */
sqlite3_stmt *bench_bare_prepare(sqlite3 *db, const char *sql);
void bench_bare_run(sqlite3 *db, sqlite3_stmt *stmt);

#endif
