/* test_postgres_statements.c - the PostgreSQL driver: values, statements, rows that are streamed. */
#include <math.h>

#include "base/alloc.h"
#include "unit/fail_alloc.h"
#include "unit/postgres_fixture.h"

/* ---- Values -------------------------------------------------------------------------------- */

static void numbers_come_back_as_they_went(void **state) {
  static const int64_t integers[] = {0, 1, -1, INT64_MAX, INT64_MIN};
  static const double reals[] = {0.0, 0.1, -2.5, 1e300, 5e-324, 1750000000.123, 3.0, INFINITY, -INFINITY};
  fixture *f = *state;
  st_value value;
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
    driver->finalize(ask(f->conn, "SELECT $1::bigint", integer(integers[i]), &value));
    assert_int_equal(value.type, ST_INT);
    assert_true(value.integer == integers[i]);
  }
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
    driver->finalize(ask(f->conn, "SELECT $1::double precision", real(reals[i]), &value));
    assert_int_equal(value.type, ST_REAL);
    assert_true(value.real == reals[i]);
  }
  driver->finalize(ask(f->conn, "SELECT $1::double precision", real(NAN), &value));
  assert_true(value.type == ST_REAL && isnan(value.real));
  driver->finalize(ask(f->conn, "SELECT $1::boolean", integer(1), &value));
  assert_true(value.type == ST_INT && value.integer == 1);
  driver->finalize(ask(f->conn, "SELECT NOT $1::boolean", integer(1), &value));
  assert_true(value.type == ST_INT && value.integer == 0);
}

static void numeric_is_an_integer_if_it_can_be(void **state) {
  fixture *f = *state;
  st_value value;
  driver->finalize(ask(f->conn, "SELECT sum(x) FROM (SELECT $1::bigint AS x) AS one", integer(7), &value));
  assert_true(value.type == ST_INT && value.integer == 7);
  driver->finalize(ask(f->conn, "SELECT $1::bigint + 0.5", integer(7), &value));
  assert_true(value.type == ST_REAL && value.real == 7.5);
  driver->finalize(ask(f->conn, "SELECT $1::bigint * 1e30::numeric", integer(1), &value));
  assert_true(value.type == ST_REAL && value.real == 1e30);
}

static void text_and_null_come_back_as_they_went(void **state) {
  static const char *const texts[] = {"", "a", "it's \"quoted\" \\ $1 ; --",
                                      "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\n\t"};
  fixture *f = *state;
  st_value value;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    st_prepared *prepared = ask(f->conn, "SELECT $1::text", text(texts[i]), &value);
    assert_text(&value, texts[i]);
    driver->finalize(prepared);
  }
  driver->finalize(ask(f->conn, "SELECT $1::text", (st_value){.type = ST_NULL}, &value));
  assert_int_equal(value.type, ST_NULL);
  driver->finalize(ask(f->conn, "SELECT ($1::bigint IS NULL)::int", (st_value){.type = ST_ABSENT}, &value));
  assert_int_equal(value.integer, 1);
  st_prepared *prepared = ask(f->conn, "SELECT $1::timestamptz", text("2025-11-15T10:46:40.25+01:00"), &value);
  assert_text(&value, "2025-11-15T09:46:40.250000+00:00");
  driver->finalize(prepared);
  prepared = ask(f->conn, "SELECT $1::json", text("{\"b\": 1,  \"a\":2}"), &value);
  assert_text(&value, "{\"b\": 1,  \"a\":2}");
  driver->finalize(prepared);
}

static void bytes_come_back_as_they_went(void **state) {
  fixture *f = *state;
  unsigned char all[256];
  st_value value, a, b, c;
  for (int i = 0; i < 256; i++) all[i] = (unsigned char)i;
  st_prepared *prepared = ask(f->conn, "SELECT $1::bytea", blob(all, sizeof all), &value);
  assert_int_equal(value.type, ST_BLOB);
  assert_int_equal(value.length, sizeof all);
  assert_memory_equal(value.bytes, all, sizeof all);
  driver->finalize(prepared);
  prepared = ask(f->conn, "SELECT $1::bytea", blob(NULL, 0), &value);
  assert_true(value.type == ST_BLOB && value.length == 0 && value.bytes);
  driver->finalize(prepared);

  prepared = prepare(f->conn, "SELECT convert_to(n::text, 'UTF8'), n, NULL::bytea, decode(repeat('ab', n), 'hex')"
                              " FROM generate_series(1, 300) AS n ORDER BY n");
  assert_int_equal(driver->start(prepared, NULL, 0), STELE_OK);
  for (int n = 1; n <= 300; n++) { /* several in a row, of growing size */
    char expected[16];
    snprintf(expected, sizeof expected, "%d", n);
    assert_int_equal(driver->step(prepared), STELE_ROW);
    driver->column(prepared, 0, &a);
    driver->column(prepared, 2, &b);
    driver->column(prepared, 3, &c);
    assert_int_equal(a.length, strlen(expected));
    assert_memory_equal(a.bytes, expected, a.length);
    assert_int_equal(b.type, ST_NULL);
    assert_int_equal(c.length, n);
    assert_int_equal((unsigned char)c.bytes[n - 1], 0xab);
  }
  assert_int_equal(driver->step(prepared), STELE_DONE);
  driver->finalize(prepared);
}

static void lists_become_arrays(void **state) {
  fixture *f = *state;
  const char *const words[] = {"", "NULL", "a,b", "{}", "\"", "\\", " x ", "\xc3\xa9", "it's"};
  st_value items[9], value;
  for (int i = 0; i < 9; i++) items[i] = text(words[i]);
  for (int i = 0; i < 9; i++) {
    char sql[100];
    snprintf(sql, sizeof sql, "SELECT ($1::text[])[%d]", i + 1);
    st_prepared *prepared = ask(f->conn, sql, list(items, 9), &value);
    assert_text(&value, words[i]);
    driver->finalize(prepared);
  }
  const st_value numbers[] = {integer(INT64_MIN), {.type = ST_NULL}, integer(INT64_MAX), integer(1)};
  driver->finalize(ask(f->conn, "SELECT sum(n) FROM unnest($1::bigint[]) AS n", list(numbers, 4), &value));
  assert_true(value.type == ST_INT && value.integer == 0);
  driver->finalize(ask(f->conn, "SELECT cardinality($1::bigint[])", list(NULL, 0), &value));
  assert_int_equal(value.integer, 0);
  const st_value mixed[] = {real(0.5), real(INFINITY), real(2)};
  driver->finalize(ask(f->conn, "SELECT ($1::float8[])[1] + ($1::float8[])[3]", list(mixed, 3), &value));
  assert_true(value.real == 2.5);
  const st_value bytes[] = {blob("\0\\\"", 3), blob("", 0)};
  st_prepared *prepared = ask(f->conn, "SELECT ($1::bytea[])[1]", list(bytes, 2), &value);
  assert_int_equal(value.length, 3);
  assert_memory_equal(value.bytes, "\0\\\"", 3);
  driver->finalize(prepared);
}

static void text_that_postgres_cannot_keep_is_refused(void **state) {
  fixture *f = *state;
  const st_value nul = text_of("a\0b", 3);
  st_value value;
  st_prepared *one = prepare(f->conn, "SELECT $1::text");
  st_prepared *many = prepare(f->conn, "SELECT $1::text[]");
  assert_int_equal(start1(one, nul), STELE_INVALID);
  assert_string_equal(f->conn->problem, "text with a NUL character cannot be kept on PostgreSQL");
  assert_int_equal(start1(many, list(&nul, 1)), STELE_INVALID);
  assert_string_equal(f->conn->problem, "text with a NUL character cannot be kept on PostgreSQL");
  assert_int_equal(start1(one, text("\xff\xfe")), STELE_INVALID);
  assert_int_equal(driver->step(one), STELE_MISUSE);
  assert_int_equal(start1(one, (st_value){.type = ST_RECORDS}), STELE_INTERNAL);
  assert_int_equal(start1(one, text("good")), STELE_OK); /* and goes on */
  assert_int_equal(driver->step(one), STELE_ROW);
  driver->column(one, 0, &value);
  assert_text(&value, "good");
  driver->finalize(one);
  driver->finalize(many);
}

/* ---- Statements ---------------------------------------------------------------------------- */

static void columns_are_known_before_and_after_a_start(void **state) {
  fixture *f = *state;
  st_prepared *prepared = prepare(f->conn, "SELECT $1::int AS a, 'x' AS \"b c\" WHERE false");
  for (int i = 0; i < 2; i++) {
    assert_int_equal(driver->columns(prepared), 2);
    assert_string_equal(driver->column_name(prepared, 0), "a");
    assert_string_equal(driver->column_name(prepared, 1), "b c");
    assert_int_equal(start1(prepared, integer(1)), STELE_OK);
  }
  assert_int_equal(driver->step(prepared), STELE_DONE);
  assert_int_equal(driver->step(prepared), STELE_DONE);
  driver->finalize(prepared);
  prepared = prepare(f->conn, "CREATE TABLE t (a int)");
  assert_int_equal(driver->columns(prepared), 0);
  driver->finalize(prepared);
}

static void changes_counts_what_was_changed(void **state) {
  fixture *f = *state;
  static const struct {
    const char *sql;
    int rows;
    int64_t changes;
  } cases[] = {{"INSERT INTO t SELECT generate_series(1, 5)", 0, 5},
               {"INSERT INTO t VALUES (6), (7) RETURNING a", 2, 2},
               {"UPDATE t SET a = a + 10 WHERE a > 2", 0, 5},
               {"DELETE FROM t WHERE a = 1 RETURNING a", 1, 1},
               {"DELETE FROM t WHERE a = 1", 0, 0},
               {"SELECT * FROM t", 6, 0}};
  run(f->conn, "CREATE TABLE t (a int)");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_prepared *prepared = prepare(f->conn, cases[i].sql);
    int rows = 0;
    assert_int_equal(driver->start(prepared, NULL, 0), STELE_OK);
    while (driver->step(prepared) == STELE_ROW) rows++;
    assert_int_equal(rows, cases[i].rows);
    assert_int_equal(driver->changes(prepared), cases[i].changes);
    driver->finalize(prepared);
  }
}

static void statements_run_side_by_side(void **state) {
  fixture *f = *state;
  st_prepared *outer = prepare(f->conn, "SELECT generate_series(1, 10)");
  st_prepared *inner = prepare(f->conn, "SELECT $1::int * 2");
  st_value value;
  int64_t sum = 0;
  assert_int_equal(driver->start(outer, NULL, 0), STELE_OK);
  while (driver->step(outer) == STELE_ROW) {
    driver->column(outer, 0, &value);
    assert_int_equal(start1(inner, value), STELE_OK);
    assert_int_equal(driver->step(inner), STELE_ROW);
    driver->column(inner, 0, &value);
    sum += value.integer;
  }
  assert_int_equal(sum, 110);
  driver->finalize(outer);
  driver->finalize(inner);
}

/* ---- Streams ---- */

static const char MANY[] = "SELECT g, repeat('x', 1000) FROM generate_series(1, 1000) AS g";

/* The sum of the rows that are left; *status: what came instead of a row. */
static int64_t sum_rows(st_prepared *prepared, stele_status *status) {
  st_value value;
  int64_t sum = 0;
  while ((*status = driver->step(prepared)) == STELE_ROW) {
    driver->column(prepared, 0, &value);
    sum += value.integer;
  }
  return sum;
}

static void a_stream_tells_every_row_once(void **state) {
  fixture *f = *state;
  st_prepared *many = prepare(f->conn, MANY), *none = prepare(f->conn, "SELECT 1 WHERE false");
  stele_status status;
  for (int i = 0; i < 2; i++) {
    assert_int_equal(driver->start_stream(many, NULL, 0), STELE_OK);
    assert_int_equal(sum_rows(many, &status), 500500);
    assert_int_equal(status, STELE_DONE);
    assert_int_equal(driver->step(many), STELE_DONE);
  }
  assert_int_equal(driver->start_stream(none, NULL, 0), STELE_OK);
  assert_int_equal(driver->step(none), STELE_DONE);
  driver->finalize(many);
  driver->finalize(none);
}

static void a_stream_goes_on_when_the_connection_is_used_meanwhile(void **state) {
  fixture *f = *state;
  st_prepared *many = prepare(f->conn, MANY), *second = prepare(f->conn, MANY);
  stele_status status;
  assert_int_equal(driver->start_stream(many, NULL, 0), STELE_OK);
  assert_int_equal(driver->step(many), STELE_ROW);
  assert_int_equal(number(f->conn, "SELECT 7"), 7);
  assert_int_equal(driver->step(many), STELE_ROW);
  assert_int_equal(driver->start_stream(second, NULL, 0), STELE_OK);
  assert_int_equal(driver->step(second), STELE_ROW);
  assert_int_equal(driver->begin(f->conn, true), STELE_OK);
  driver->rollback(f->conn);
  assert_int_equal(sum_rows(many, &status), 500500 - 1 - 2);
  assert_int_equal(status, STELE_DONE);
  assert_int_equal(sum_rows(second, &status), 500500 - 1);
  assert_int_equal(status, STELE_DONE);
  driver->finalize(many);
  driver->finalize(second);
}

static void a_stream_may_be_left_before_its_end(void **state) {
  fixture *f = *state;
  st_prepared *many = prepare(f->conn, "SELECT generate_series(1, 100000000)");
  for (int inside = 0; inside < 2; inside++) {
    st_prepared *left = inside ? prepare(f->conn, MANY) : many;
    if (inside) assert_int_equal(driver->begin(f->conn, true), STELE_OK);
    assert_int_equal(driver->start_stream(left, NULL, 0), STELE_OK);
    assert_int_equal(driver->step(left), STELE_ROW);
    driver->reset(left);
    assert_int_equal(number(f->conn, "SELECT 7"), 7);
    if (inside) assert_int_equal(driver->commit(f->conn), STELE_OK);
    driver->finalize(left);
  }
}

static void a_stream_that_fails_says_so_at_its_place(void **state) {
  fixture *f = *state;
  st_prepared *bad = prepare(f->conn, "SELECT 10 / (3 - g) FROM generate_series(1, 1000) AS g");
  stele_status status;
  for (int taken_in = 0; taken_in < 2; taken_in++) {
    assert_int_equal(driver->start_stream(bad, NULL, 0), STELE_OK);
    assert_int_equal(driver->step(bad), STELE_ROW);
    if (taken_in) assert_int_equal(number(f->conn, "SELECT 7"), 7);
    assert_int_equal(sum_rows(bad, &status), 10);
    assert_int_not_equal(status, STELE_DONE);
    assert_non_null(strstr(f->conn->problem, "division by zero"));
    assert_int_equal(number(f->conn, "SELECT 8"), 8);
  }
  driver->finalize(bad);
}

static void a_statement_outlives_a_failed_transaction(void **state) {
  fixture *f = *state;
  run(f->conn, "CREATE TABLE t (a int UNIQUE)");
  assert_int_equal(driver->begin(f->conn, true), STELE_OK);
  st_prepared *insert = prepare(f->conn, "INSERT INTO t VALUES ($1::int)");
  st_prepared *none;
  assert_int_equal(start1(insert, integer(1)), STELE_OK);
  run(f->conn, "SAVEPOINT s");
  assert_int_equal(start1(insert, integer(1)), STELE_INVALID);
  assert_non_null(strstr(f->conn->problem, "t_a_key"));
  assert_int_equal(start1(insert, integer(2)), STELE_INTERNAL); /* until the savepoint is gone back to */
  assert_int_equal(driver->prepare(f->conn, "SELECT 1", &none), STELE_INTERNAL);
  assert_null(none);
  run(f->conn, "ROLLBACK TO s");
  assert_int_equal(start1(insert, integer(2)), STELE_OK);
  assert_int_equal(driver->commit(f->conn), STELE_OK);

  assert_int_equal(driver->begin(f->conn, true), STELE_OK);
  assert_int_equal(start1(insert, integer(2)), STELE_INVALID);
  assert_int_equal(driver->commit(f->conn), STELE_INTERNAL);
  assert_int_equal(start1(insert, integer(3)), STELE_OK);
  assert_int_equal(number(f->conn, "SELECT count(*) FROM t"), 3);
  driver->finalize(insert);
}

static void finalized_statements_are_forgotten_by_the_server(void **state) {
  fixture *f = *state;
  for (int i = 0; i < 20; i++) driver->finalize(prepare(f->conn, "SELECT 1"));
  assert_int_equal(driver->begin(f->conn, false), STELE_OK);
  assert_int_equal(number(f->conn, "SELECT count(*) FROM pg_prepared_statements"), 1);
  driver->rollback(f->conn);
}

static void a_statement_made_stale_by_a_migration_is_prepared_again(void **state) {
  fixture *f = *state;
  st_conn *migrator = open_as(&f->target, false);
  run(f->conn, "CREATE TABLE t (a int); INSERT INTO t VALUES (1)");
  st_prepared *select = prepare(f->conn, "SELECT * FROM t");
  assert_int_equal(driver->start(select, NULL, 0), STELE_OK);
  run(migrator, "ALTER TABLE t ADD b int");
  assert_int_equal(driver->start(select, NULL, 0), STELE_OK);
  assert_int_equal(driver->columns(select), 2);
  run(migrator, "ALTER TABLE t ADD c int");
  assert_int_equal(driver->begin(f->conn, true), STELE_OK);
  assert_int_equal(driver->start(select, NULL, 0), STELE_CONFLICT);
  driver->rollback(f->conn);
  assert_int_equal(driver->begin(f->conn, true), STELE_OK);
  assert_int_equal(driver->start(select, NULL, 0), STELE_OK);
  assert_int_equal(driver->columns(select), 3);
  driver->rollback(f->conn);
  run(f->conn, "DEALLOCATE ALL");
  assert_int_equal(driver->start(select, NULL, 0), STELE_OK);
  driver->finalize(select);
  driver->close(migrator);
}

/* ---- Posted statements ------------------------------------------------------------------------ */

static stele_status post1(st_prepared *prepared, st_value value) {
  return driver->post(prepared, (const st_value *const[]){&value}, 1);
}

static void posted_statements_are_all_done(void **state) {
  fixture *f = *state;
  int64_t changes;
  run(f->conn, "CREATE TABLE t (a int PRIMARY KEY)");
  st_prepared *insert = prepare(f->conn, "INSERT INTO t VALUES ($1::int) ON CONFLICT DO NOTHING");
  assert_int_equal(driver->begin(f->conn, true), STELE_OK);
  for (int i = 0; i < 250; i++) assert_int_equal(post1(insert, integer(i % 240)), STELE_OK);
  assert_int_equal(number(f->conn, "SELECT count(*) FROM t"), 240); /* whoever looks finds them */
  assert_int_equal(post1(insert, integer(1000)), STELE_OK);
  assert_true(driver->active(f->conn));
  assert_int_equal(driver->posted(f->conn, &changes), STELE_OK);
  assert_int_equal(changes, 241);
  assert_int_equal(driver->posted(f->conn, &changes), STELE_OK);
  assert_int_equal(changes, 0);
  assert_int_equal(post1(insert, integer(1001)), STELE_OK);
  assert_int_equal(driver->commit(f->conn), STELE_OK);
  assert_int_equal(number(f->conn, "SELECT count(*) FROM t"), 242);
  driver->finalize(insert);
}

static void what_fails_when_posted_is_told_by_the_next_use(void **state) {
  fixture *f = *state;
  st_value value;
  run(f->conn, "CREATE TABLE t (a int PRIMARY KEY)");
  st_prepared *insert = prepare(f->conn, "INSERT INTO t VALUES ($1::int)"), *found = prepare(f->conn, "SELECT $1::int");
  for (int use = 0; use < 4; use++) {
    assert_int_equal(driver->begin(f->conn, true), STELE_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(post1(insert, integer(7)), STELE_OK);
    if (use == 0) assert_int_equal(driver->commit(f->conn), STELE_INVALID);
    if (use == 1) assert_int_equal(driver->script(f->conn, "SAVEPOINT s"), STELE_INVALID);
    if (use == 2) assert_int_equal(start1(found, integer(1)), STELE_INVALID);
    if (use == 3) assert_false(driver->active(f->conn));
    driver->rollback(f->conn);
    driver->finalize(ask(f->conn, "SELECT count(*) + $1 FROM t", integer(0), &value));
    assert_int_equal(value.integer, 0);
  }
  assert_int_equal(driver->begin(f->conn, true), STELE_OK);
  assert_int_equal(post1(insert, text_of("a\0b", 3)), STELE_INVALID); /* it is not even sent */
  assert_int_equal(post1(insert, integer(8)), STELE_OK);
  assert_int_equal(driver->commit(f->conn), STELE_OK);
  driver->finalize(insert);
  driver->finalize(found);
}

static void what_was_posted_is_lost_with_the_connection(void **state) {
  fixture *f = *state;
  run(f->conn, "CREATE TABLE t (a int PRIMARY KEY)");
  st_prepared *insert = prepare(f->conn, "INSERT INTO t VALUES ($1::int)");
  assert_int_equal(driver->begin(f->conn, true), STELE_OK);
  assert_int_equal(post1(insert, integer(1)), STELE_OK);
  cut(f->conn, &f->target);
  stele_status status = post1(insert, integer(2)); /* known now, or at the end */
  assert_true(status == STELE_OK || status == STELE_UNAVAILABLE);
  assert_int_equal(driver->commit(f->conn), STELE_UNAVAILABLE);
  assert_int_equal(driver->begin(f->conn, true), STELE_OK);
  assert_int_equal(post1(insert, integer(1)), STELE_OK);
  assert_int_equal(driver->commit(f->conn), STELE_OK);
  assert_int_equal(number(f->conn, "SELECT count(*) FROM t"), 1);
  driver->finalize(insert);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CASE(numbers_come_back_as_they_went),
      CASE(numeric_is_an_integer_if_it_can_be),
      CASE(text_and_null_come_back_as_they_went),
      CASE(bytes_come_back_as_they_went),
      CASE(lists_become_arrays),
      CASE(text_that_postgres_cannot_keep_is_refused),
      CASE(columns_are_known_before_and_after_a_start),
      CASE(changes_counts_what_was_changed),
      CASE(statements_run_side_by_side),
      CASE(a_stream_tells_every_row_once),
      CASE(a_stream_goes_on_when_the_connection_is_used_meanwhile),
      CASE(a_stream_may_be_left_before_its_end),
      CASE(a_stream_that_fails_says_so_at_its_place),
      CASE(a_statement_outlives_a_failed_transaction),
      CASE(finalized_statements_are_forgotten_by_the_server),
      CASE(a_statement_made_stale_by_a_migration_is_prepared_again),
      CASE(posted_statements_are_all_done),
      CASE(what_fails_when_posted_is_told_by_the_next_use),
      CASE(what_was_posted_is_lost_with_the_connection),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
