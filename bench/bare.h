/* bare.h - the yardstick: what a C program does on the same file with nothing between it and SQLite. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "records.h"

typedef struct bench_bare {
  sqlite3 *db;
  sqlite3_stmt *begin, *insert, *commit;
} bench_bare;

/* Open a telemetry store that Stele made, so that tables and indexes are the same, with the pragmas
** that Stele sets.  SQLite's own lock is waited for with its busy timeout, 20 s. */
void bench_bare_open(bench_bare *bare, const char *home, bool full);
/* Records first to first + count - 1 in one transaction.  False: SQLITE_BUSY. */
bool bench_bare_write(bench_bare *bare, unsigned first, int count);
void bench_bare_close(bench_bare *bare);

/* Prepare, run to the end and reset a statement; they end the program on failure. */
sqlite3_stmt *bench_bare_prepare(sqlite3 *db, const char *sql);
void bench_bare_run(sqlite3 *db, sqlite3_stmt *stmt);

#endif
