/* records.h - the invocations that every benchmark writes: the same ones in every run.
**
** Record n belongs to one of 50 listeners and one of 5 sessions; one in 32 is an error with a
** traceback of 300 bytes. */
#ifndef BENCH_RECORDS_H
#define BENCH_RECORDS_H

#include "bare.h"

#define BENCH_LISTENERS 50 /* of one app, ids 1 to 50 */
#define BENCH_SESSIONS 5   /* ids 1 to 5 */
#define BENCH_APP "bench.App"

typedef struct bench_record {
  int listener, session;
  double start, duration_ms;
  const char *status;
  const char *error_type, *error_message, *error_traceback; /* NULL on success */
} bench_record;

bench_record bench_record_at(unsigned n);

/* Records first to first + count - 1 as a JSON array; the text is the caller's. */
char *bench_records_json(unsigned first, int count);
/* One record as a JSON object. */
void bench_record_json(const bench_record *record, char out[600]);

/* Open an empty telemetry store, in a home or in a schema of a PostgreSQL, and register the sessions and
** listeners of every benchmark. */
stele_db *bench_fill(const char *home, const char *durability);
stele_db *bench_fill_database(const char *location);

/* Write that many records with telemetry.persist_batch. */
void bench_write_records(stele_db *db, unsigned count);

/* The statement of a bare loop, and records first to first + count - 1 written by it in one transaction.
** False: SQLITE_BUSY. */
sqlite3_stmt *bench_records_prepare(bench_bare *bare);
bool bench_records_write(bench_bare *bare, sqlite3_stmt *insert, unsigned first, int count);

#endif
