/* query.c - the queries of a dashboard over 200,000 invocations of one app with 50 listeners. */
#include <stdio.h>
#include <string.h>

#include "telemetry/records.h"

#define RUNS 40

typedef struct query {
  const char *name;
  const char *method;
  const char *args;
  size_t rows; /* at least this many in the reply: an empty answer is quick */
} query;

static const query QUERIES[] = {
    {"listener_summary", "telemetry.get_listener_summary", "{\"app_key\":\"" BENCH_APP "\",\"instance_index\":0}",
     BENCH_LISTENERS},
    {"listener_summary_session", "telemetry.get_listener_summary",
     "{\"app_key\":\"" BENCH_APP "\",\"instance_index\":0,\"session\":2}", BENCH_LISTENERS},
    {"global_summary", "telemetry.get_global_summary", "{}", 1},
    {"recent_errors", "telemetry.get_recent_errors", "{\"since\":1750000000}", 1},
    {"handler_invocations", "telemetry.get_handler_invocations", "{\"listener_id\":7}", 1},
    {"slow_handlers", "telemetry.get_slow_handlers", "{\"threshold_ms\":600}", 1},
    {"session_totals", "telemetry.get_session_totals", "{}", BENCH_SESSIONS},
    {"time_buckets", "telemetry.get_time_buckets", "{\"since\":1750000000,\"until\":1750050000}", 60},
};

/* Rows of a JSON reply, as far as a benchmark has to know: one object is one row. */
static size_t count_rows(const char *reply) {
  size_t rows = *reply != 'n';
  for (const char *at = reply; (at = strstr(at, "},{")); at++) rows++;
  return rows;
}

static void measure(stele_db *db, const query *q) {
  bench_samples ms = {0}, cpu = {0};
  char name[80];
  for (int i = 0; i < RUNS; i++) {
    char *reply = NULL;
    double start = bench_now(), start_cpu = bench_cpu();
    bench_check(db, stele_call(db, q->method, q->args, &reply));
    bench_add(&ms, (bench_now() - start) * 1e3);
    bench_add(&cpu, (bench_cpu() - start_cpu) * 1e3);
    if (count_rows(reply) < q->rows) bench_die("%s: too few rows: %.200s", q->method, reply);
    stele_free(reply);
  }
  bench_put_samples(q->name, &ms);
  snprintf(name, sizeof name, "%s_cpu_ms", q->name);
  bench_put(name, bench_part(&cpu, 0.5));
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  int rows = options.rows ? options.rows : 200000;
  bench_path home = bench_join(options.dir, "home");
  stele_db *db = bench_fill(home.text, NULL);
  bench_write_records(db, (unsigned)rows);
  stele_close(db);

  db = bench_open(home.text, "telemetry", NULL); /* a dashboard's handle: it has written nothing */
  bench_put("rows", rows);
  for (size_t i = 0; i < sizeof QUERIES / sizeof *QUERIES; i++) measure(db, &QUERIES[i]);
  stele_close(db);
  return bench_finish();
}
