/* records.h - the invocations that every benchmark writes: the same ones in every run.
**
** Record n belongs to one of 50 listeners and one of 5 sessions; one in 32 is an error with a
** traceback of 300 bytes. */
#ifndef BENCH_RECORDS_H
#define BENCH_RECORDS_H

#include "bench.h"

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

/* Write that many records with telemetry.persist_batch. */
void bench_write_records(stele_db *db, unsigned count);

#endif
