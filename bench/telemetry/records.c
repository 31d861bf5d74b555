/* records.c - see records.h. */
#include "telemetry/records.h"

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

bench_record bench_record_at(unsigned n) {
  uint64_t random = bench_mix(n);
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

static stele_db *register_all(stele_db *db) {
  char args[200];
  for (int i = 0; i < BENCH_SESSIONS; i++) bench_call(db, "telemetry.create_session", "{\"now\":1750000000}");
  for (int i = 1; i <= BENCH_LISTENERS; i++) {
    snprintf(args, sizeof args,
             "{\"app_key\":\"" BENCH_APP "\",\"instance_index\":0,\"handler_method\":\"on_event_%d\","
             "\"topic\":\"state_changed.light.%d\",\"source_location\":\"apps/bench.py:%d\"}",
             i, i, i);
    bench_call(db, "telemetry.register_listener", args);
  }
  return db;
}

stele_db *bench_fill(const char *home, const char *durability) {
  return register_all(bench_open(home, "telemetry", durability));
}

stele_db *bench_fill_database(const char *location) {
  return register_all(bench_open_database(location, "telemetry"));
}

/* ---- With SQLite alone ---- */

sqlite3_stmt *bench_records_prepare(bench_bare *bare) {
  return bench_bare_prepare(
      bare->db,
      "INSERT INTO handler_invocations (listener_id, session_id, execution_start_dtme, duration_ms, status,"
      " error_type, error_message, error_traceback) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
}

static void insert_bare(bench_bare *bare, sqlite3_stmt *insert, const bench_record *record) {
  sqlite3_bind_int64(insert, 1, record->listener);
  sqlite3_bind_int64(insert, 2, record->session);
  sqlite3_bind_double(insert, 3, record->start);
  sqlite3_bind_double(insert, 4, record->duration_ms);
  sqlite3_bind_text(insert, 5, record->status, -1, SQLITE_STATIC);
  sqlite3_bind_text(insert, 6, record->error_type, -1, SQLITE_STATIC);
  sqlite3_bind_text(insert, 7, record->error_message, -1, SQLITE_STATIC);
  sqlite3_bind_text(insert, 8, record->error_traceback, -1, SQLITE_STATIC);
  bench_bare_run(bare->db, insert);
}

bool bench_records_write(bench_bare *bare, sqlite3_stmt *insert, unsigned first, int count) {
  if (!bench_bare_begin(bare)) return false;
  for (int i = 0; i < count; i++) {
    bench_record record = bench_record_at(first + (unsigned)i);
    insert_bare(bare, insert, &record);
  }
  bench_bare_commit(bare);
  return true;
}
