/* plain.c - see plain.h. */
#include "telemetry/plain.h"

#include "telemetry/records.h"

#ifdef BENCH_POSTGRES

#include <libpq-fe.h>
#include <stdio.h>

static PGconn *connection;

static void check(PGresult *result) {
  if (PQresultStatus(result) != PGRES_COMMAND_OK) bench_die("PostgreSQL: %s", PQerrorMessage(connection));
  PQclear(result);
}

void bench_plain_open(const char *database, const char *schema) {
  char sql[100];
  connection = PQconnectdb(database);
  if (PQstatus(connection) != CONNECTION_OK) bench_die("PostgreSQL: %s", PQerrorMessage(connection));
  snprintf(sql, sizeof sql, "SET search_path = %s", schema);
  check(PQexec(connection, sql));
  check(PQprepare(connection, "insert",
                  "INSERT INTO handler_invocations (listener_id, session_id, execution_start_dtme, duration_ms, status,"
                  " error_type, error_message, error_traceback) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                  0, NULL));
}

void bench_plain_write(unsigned first, int count) {
  check(PQexec(connection, "BEGIN"));
  for (int i = 0; i < count; i++) {
    bench_record r = bench_record_at(first + (unsigned)i);
    char listener[16], session[16], start[32], duration[32];
    snprintf(listener, sizeof listener, "%d", r.listener);
    snprintf(session, sizeof session, "%d", r.session);
    snprintf(start, sizeof start, "%.3f", r.start);
    snprintf(duration, sizeof duration, "%.2f", r.duration_ms);
    const char *values[] = {listener, session, start, duration, r.status, r.error_type, r.error_message, r.error_traceback};
    check(PQexecPrepared(connection, "insert", 8, values, NULL, NULL, 0));
  }
  check(PQexec(connection, "COMMIT"));
}

void bench_plain_close(void) { PQfinish(connection); }

#else

void bench_plain_open(const char *database, const char *schema) {
  (void)schema;
  bench_die("%s: this build has no PostgreSQL", database);
}
void bench_plain_write(unsigned first, int count) { (void)first, (void)count; }
void bench_plain_close(void) {}

#endif
