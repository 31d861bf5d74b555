/* records.c - see records.h. */
#include "records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACEBACK_BYTES 300
#define BATCH 100

static const char *traceback(void) {
  static char text[TRACEBACK_BYTES + 1];
  if (!text[0])
    for (int i = 0; i < TRACEBACK_BYTES; i++) text[i] = "File apps/bench.py, line 42, in on_event / "[i % 43];
  return text;
}

/* Well mixed, and a function of n alone (SplitMix64). */
static uint64_t mix(uint64_t n) {
  n += UINT64_C(0x9E3779B97F4A7C15);
  n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
  return n ^ n >> 31;
}

bench_record bench_record_at(unsigned n) {
  uint64_t random = mix(n);
  bench_record record = {.listener = 1 + (int)(random % BENCH_LISTENERS),
                         .session = 1 + (int)(n / 40000 % BENCH_SESSIONS),
                         .start = 1750000000.0 + n * 0.25 + (double)(random >> 20 & 127) / 1000,
                         .duration_ms = (double)(random >> 32 & 0xFFFF) / 100,
                         .status = "success"};
  if (random >> 48 & 31) return record;
  record.status = "error";
  record.error_type = "ValueError";
  record.error_message = "the value is out of range";
  record.error_traceback = traceback();
  return record;
}

void bench_record_json(const bench_record *record, char out[600]) {
  int used = snprintf(out, 600,
                      "{\"listener_id\":%d,\"session_id\":%d,\"execution_start_dtme\":%.3f,\"duration_ms\":%.2f,"
                      "\"status\":\"%s\"",
                      record->listener, record->session, record->start, record->duration_ms, record->status);
  if (record->error_type)
    used += snprintf(out + used, 600 - (size_t)used,
                     ",\"error_type\":\"%s\",\"error_message\":\"%s\",\"error_traceback\":\"%s\"", record->error_type,
                     record->error_message, record->error_traceback);
  snprintf(out + used, 600 - (size_t)used, "}");
}

char *bench_records_json(unsigned first, int count) {
  char *text = malloc((size_t)count * 600 + 3);
  size_t used = 0;
  if (!text) bench_die("out of memory");
  for (int i = 0; i < count; i++) {
    bench_record record = bench_record_at(first + (unsigned)i);
    text[used++] = i ? ',' : '[';
    bench_record_json(&record, text + used);
    used += strlen(text + used);
  }
  strcpy(text + used, count ? "]" : "[]");
  return text;
}

void bench_write_records(stele_db *db, unsigned count) {
  stele_stmt *stmt = NULL;
  bench_check(db, stele_prepare(db, "telemetry.persist_batch", &stmt));
  for (unsigned first = 0; first < count; first += BATCH) {
    char *batch = bench_records_json(first, BATCH);
    bench_check(db, stele_bind_json(stmt, "invocations", batch));
    bench_run(db, stmt);
    free(batch);
  }
  stele_finalize(stmt);
}
