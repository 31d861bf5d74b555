/* postgres_fixture.h - the PostgreSQL driver against a real server, named in STELE_TEST_POSTGRES: what its test
** programs share.  Every test has a schema of its own, dropped at its end. */
#ifndef POSTGRES_FIXTURE_H
#define POSTGRES_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/driver.h"

static const st_driver *const driver = &st_driver_postgres;

static const st_shape_column shape[] = {{.table = "listeners", .column = "id"}, {.table = "listeners", .column = "name"}};
static const st_renamed renamed[] = {{"listeners", "label", "title"}, {"listeners", "name", "caption"}};
static const st_refusal refusals[] = {{"listeners", "poison", "do not drink it"}};
static const st_store sample = {.name = "sample",
                                .version = 3,
                                .mark = ST_MARK_SHAPE,
                                .renamed = renamed,
                                .nrenamed = 2,
                                .refusals = refusals,
                                .nrefusals = 1,
                                .shape = shape,
                                .nshape = 2};
typedef struct fixture {
  char schema[64];
  st_target target;
  st_conn *conn;
} fixture;

static inline const char *server_url(void) {
  const char *url = getenv("STELE_TEST_POSTGRES");
  if (!url) fail_msg("STELE_TEST_POSTGRES must name a PostgreSQL server (tests/postgres.py starts one)");
  return url;
}

static inline st_conn *open_as(const st_target *target, bool create) {
  char problem[400];
  st_conn *conn;
  stele_status status = driver->open(target, create, &conn, problem);
  if (status != STELE_OK) print_error("%s\n", problem);
  assert_int_equal(status, STELE_OK);
  return conn;
}

static inline int set_up(void **state) {
  static int number;
  fixture *f = calloc(1, sizeof *f);
  snprintf(f->schema, sizeof f->schema, "stele test \"%ld.%d\"", (long)getpid(), ++number); /* needs quoting */
  f->target = (st_target){
      .store = &sample, .location = server_url(), .schema = f->schema, .full = true, .in_home = true, .wait_ms = 20000};
  f->conn = open_as(&f->target, true);
  *state = f;
  return 0;
}

static inline void run(st_conn *conn, const char *sql) {
  stele_status status = driver->script(conn, sql);
  if (status != STELE_OK) print_error("%s\n%s\n", sql, conn->problem);
  assert_int_equal(status, STELE_OK);
}

static inline int tear_down(void **state) {
  fixture *f = *state;
  driver->close(f->conn); /* with whatever a failed test left open */
  f->target.readonly = false;
  st_conn *conn = open_as(&f->target, true);
  run(conn, "DO $$ BEGIN EXECUTE format('DROP SCHEMA %I CASCADE', current_schema()); END $$");
  driver->close(conn);
  free(f);
  return 0;
}

static inline st_value integer(int64_t value) {
  return (st_value){.type = ST_INT, .integer = value};
}

static inline st_value real(double value) {
  return (st_value){.type = ST_REAL, .real = value};
}

static inline st_value text_of(const char *bytes, size_t length) {
  return (st_value){.type = ST_TEXT, .bytes = bytes, .length = length};
}

static inline st_value text(const char *bytes) {
  return text_of(bytes, strlen(bytes));
}

static inline st_value blob(const void *bytes, size_t length) {
  return (st_value){.type = ST_BLOB, .bytes = bytes, .length = length};
}

static inline st_value list(const st_value *items, uint32_t count) {
  return (st_value){.type = ST_LIST, .items = items, .count = count};
}

static inline st_prepared *prepare(st_conn *conn, const char *sql) {
  st_prepared *prepared;
  stele_status status = driver->prepare(conn, sql, &prepared);
  if (status != STELE_OK) print_error("%s\n%s\n", sql, conn->problem);
  assert_int_equal(status, STELE_OK);
  return prepared;
}

static inline stele_status start1(st_prepared *prepared, st_value value) {
  return driver->start(prepared, (const st_value *const[]){&value}, 1);
}

/* Run a query with one parameter that yields one row, and look at its first column.  The text
** lives until the statement is finalized. */
static inline st_prepared *ask(st_conn *conn, const char *sql, st_value value, st_value *out) {
  st_prepared *prepared = prepare(conn, sql);
  stele_status status = start1(prepared, value);
  if (status != STELE_OK) print_error("%s\n%s\n", sql, conn->problem);
  assert_int_equal(status, STELE_OK);
  assert_int_equal(driver->step(prepared), STELE_ROW);
  driver->column(prepared, 0, out);
  return prepared;
}

/* The number a query without parameters answers. */
static inline int64_t number(st_conn *conn, const char *sql) {
  st_value value;
  st_prepared *prepared = prepare(conn, sql);
  assert_int_equal(driver->start(prepared, NULL, 0), STELE_OK);
  assert_int_equal(driver->step(prepared), STELE_ROW);
  driver->column(prepared, 0, &value);
  assert_int_equal(value.type, ST_INT);
  assert_int_equal(driver->step(prepared), STELE_DONE);
  driver->finalize(prepared);
  return value.integer;
}

static inline void assert_text(const st_value *value, const char *expected) {
  assert_int_equal(value->type, ST_TEXT);
  assert_string_equal(value->bytes, expected);
  assert_int_equal(value->length, strlen(expected));
}

/* End the server's side of a connection, as a restart or an operator would. */
static inline void cut(st_conn *conn, const st_target *target) {
  int64_t pid = number(conn, "SELECT pg_backend_pid()");
  st_conn *killer = open_as(target, false);
  st_value done;
  driver->finalize(ask(killer, "SELECT pg_terminate_backend($1::int, 5000)", integer(pid), &done));
  assert_int_equal(done.integer, 1);
  driver->close(killer);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
