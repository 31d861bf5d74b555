/* test_postgres_failures.c - the PostgreSQL driver when libpq itself fails, has no memory, or is told what no server should tell.
**
** libpq's functions are called through a table (postgres_library.h), in which a test puts others for a moment. */
#include <limits.h>

#include "engine/confine.h"
#include "engine/postgres_conn.h"
#include "engine/postgres_url.h"
#include "unit/fail_alloc.h"
#include "unit/postgres_fixture.h"

static st_postgres_library libpq; /* as it is */
static PGresult *(*get_result)(PGconn *);
static __typeof__(PQexecParams) exec_params;

static int take_libpq(void **state) {
  int rc = set_up(state);
  libpq = st_libpq;
  get_result = PQgetResult;
  exec_params = PQexecParams;
  return rc;
}

static int give_libpq_back(void **state) {
  st_libpq = libpq;
  return tear_down(state);
}

#define FAILING(name) cmocka_unit_test_setup_teardown(name, take_libpq, give_libpq_back)

/* ---- libpq without memory ------------------------------------------------------------------- */

static PGresult *no_exec(PGconn *link, const char *sql) {
  (void)link, (void)sql;
  return NULL;
}

static PGresult *no_params(PGconn *link, const char *sql, int count, const Oid *types, const char *const *values, const int *lengths,
                           const int *formats, int form) {
  (void)link, (void)sql, (void)count, (void)types, (void)values, (void)lengths, (void)formats, (void)form;
  return NULL;
}

static PGresult *no_prepared(PGconn *link, const char *name, int count, const char *const *values, const int *lengths, const int *formats,
                             int form) {
  (void)link, (void)name, (void)count, (void)values, (void)lengths, (void)formats, (void)form;
  return NULL;
}

static PGresult *no_prepare(PGconn *link, const char *name, const char *sql, int count, const Oid *types) {
  (void)link, (void)name, (void)sql, (void)count, (void)types;
  return NULL;
}

static int no_send(PGconn *link, const char *name, int count, const char *const *values, const int *lengths, const int *formats, int form) {
  (void)link, (void)name, (void)count, (void)values, (void)lengths, (void)formats, (void)form;
  return 0;
}

static PGresult *no_description(PGconn *link, const char *name) {
  (void)link, (void)name;
  return NULL;
}

static PGconn *no_link(const char *const *keys, const char *const *values, int expand) {
  (void)keys, (void)values, (void)expand;
  return NULL;
}

static PQconninfoOption *no_options(const char *location, char **why) {
  (void)location, (void)why;
  return NULL;
}

static PQconninfoOption *no_own_options(PGconn *link) {
  (void)link;
  return NULL;
}

static void an_answer_that_libpq_cannot_keep_is_no_memory(void **state) {
  fixture *f = *state;
  st_look found;
  run(f->conn, "CREATE TABLE t (a int)");
  st_prepared *insert = prepare(f->conn, "INSERT INTO t VALUES ($1::int)"), *none;
  PQexecPrepared = no_prepared;
  assert_int_equal(start1(insert, integer(1)), STELE_NOMEM);
  PQsendQueryPrepared = no_send;
  assert_int_equal(driver->start_stream(insert, (const st_value *const[]){&(st_value){.type = ST_NULL}}, 1), STELE_NOMEM);
  st_libpq = libpq;
  assert_int_equal(start1(insert, integer(2)), STELE_OK); /* in a new session */
  PQprepare = no_prepare;
  assert_int_equal(driver->prepare(f->conn, "SELECT 1", &none), STELE_NOMEM);
  st_libpq = libpq;
  assert_int_equal(number(f->conn, "SELECT count(*) FROM t"), 1);
  PQexec = no_exec;
  assert_int_equal(driver->begin(f->conn, true), STELE_NOMEM);
  PQexecParams = no_params;
  assert_int_equal(driver->look(f->conn, &found), STELE_NOMEM);
  st_libpq = libpq;
  assert_int_equal(driver->begin(f->conn, true), STELE_OK);
  driver->rollback(f->conn);
  driver->finalize(insert);
}

/* Nobody knows what the server did: the transaction is not gone on with. */
static void a_transaction_does_not_go_on_after_such_an_answer(void **state) {
  fixture *f = *state;
  run(f->conn, "CREATE TABLE t (a int)");
  st_prepared *insert = prepare(f->conn, "INSERT INTO t VALUES ($1::int)");
  for (int end = 0; end < 2; end++) {
    assert_int_equal(driver->begin(f->conn, true), STELE_OK);
    PQexecPrepared = no_prepared;
    assert_int_equal(start1(insert, integer(1)), STELE_NOMEM);
    st_libpq = libpq;
    assert_false(driver->active(f->conn));
    assert_int_equal(start1(insert, integer(1)), STELE_UNAVAILABLE);
    if (end) assert_int_equal(driver->commit(f->conn), STELE_UNAVAILABLE);
    else driver->rollback(f->conn);
    assert_int_equal(number(f->conn, "SELECT count(*) FROM t"), 0);
  }
  assert_int_equal(driver->begin(f->conn, true), STELE_OK);
  assert_int_equal(start1(insert, integer(1)), STELE_OK);
  PQexec = no_exec;
  assert_int_equal(driver->commit(f->conn), STELE_INDOUBT);
  st_libpq = libpq;
  assert_int_equal(number(f->conn, "SELECT count(*) FROM t"), 0);
  driver->finalize(insert);
}

static void columns_that_cannot_be_described_are_none(void **state) {
  fixture *f = *state;
  st_prepared *select = prepare(f->conn, "SELECT 1 AS a");
  PQdescribePrepared = no_description;
  assert_int_equal(driver->columns(select), 0);
  PQprepare = no_prepare; /* the session is made anew */
  assert_int_equal(driver->columns(select), 0);
  st_libpq = libpq;
  assert_int_equal(driver->columns(select), 1);
  driver->finalize(select);
}

static void a_connection_that_libpq_cannot_make_is_no_memory(void **state) {
  fixture *f = *state;
  char problem[400];
  st_conn *conn;
  PQconnectdbParams = no_link;
  assert_int_equal(driver->open(&f->target, true, &conn, problem), STELE_NOMEM);
  st_libpq = libpq;
  PQconninfoParse = no_options;
  assert_int_equal(driver->open(&f->target, true, &conn, problem), STELE_NOMEM);
  st_libpq = libpq;
  PQconninfo = no_own_options; /* a failure could not be told without secrets */
  f->target.location = "postgres://u:hunter2" "@127.0.0.1:1/d";
  assert_int_equal(driver->open(&f->target, true, &conn, problem), STELE_NOMEM);
  f->target.location = server_url();
}

/* ---- Rows that are streamed ------------------------------------------------------------------ */

static const char MANY[] = "SELECT g FROM generate_series(1, 200) AS g";

static int64_t count_rows(st_prepared *prepared, stele_status *status) {
  int64_t rows = 0;
  while ((*status = driver->step(prepared)) == STELE_ROW) rows++;
  return rows;
}

static void a_stream_whose_rows_find_no_memory_says_so(void **state) {
  fixture *f = *state;
  st_prepared *many = prepare(f->conn, MANY);
  stele_status status = STELE_OK;
  bool reached = true;
  for (int n = 1; reached; n++) {
    assert_int_equal(driver->start_stream(many, NULL, 0), STELE_OK);
    assert_int_equal(driver->step(many), STELE_ROW);
    fail_alloc_nth(n);
    stele_status begun = driver->begin(f->conn, false); /* takes the rows in */
    reached = fail_alloc_end();
    assert_true(begun == STELE_OK || begun == STELE_NOMEM);
    int64_t rows = count_rows(many, &status);
    assert_true(status == STELE_DONE ? rows == 199 : status == STELE_NOMEM);
    driver->rollback(f->conn);
  }
  assert_int_equal(status, STELE_DONE);
  driver->finalize(many);
}

static PGresult *no_result(PGconn *link) {
  PGresult *rest;
  while ((rest = get_result(link)) != NULL) PQclear(rest);
  return NULL;
}

static void a_stream_that_ends_too_early_says_so(void **state) {
  fixture *f = *state;
  st_prepared *many = prepare(f->conn, MANY);
  assert_int_equal(driver->start_stream(many, NULL, 0), STELE_OK);
  assert_int_equal(driver->step(many), STELE_ROW);
  PQgetResult = no_result;
  assert_int_equal(driver->step(many), STELE_NOMEM);
  st_libpq = libpq;
  assert_int_equal(driver->step(many), STELE_MISUSE);
  assert_int_equal(number(f->conn, "SELECT 7"), 7);
  driver->finalize(many);
}

/* ---- What no server should tell --------------------------------------------------------------- */

static void values_that_have_no_form_of_ours_come_as_text(void **state) {
  static const struct {
    const char *sql, *text;
  } cases[] = {{"SELECT 'infinity'::timestamptz", "infinity"},
               {"SELECT '20000-01-01'::timestamptz", "20000-01-01 00:00:00+00"},
               {"SELECT E'\\x01Q'", "\x01Q"},
               {"SELECT E'\\x01'", "\x01"}};
  fixture *f = *state;
  st_value value;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_prepared *prepared = prepare(f->conn, cases[i].sql);
    assert_int_equal(driver->start(prepared, NULL, 0), STELE_OK);
    assert_int_equal(driver->step(prepared), STELE_ROW);
    driver->column(prepared, 0, &value);
    assert_text(&value, cases[i].text);
    driver->finalize(prepared);
  }
  st_prepared *huge = ask(f->conn, "SELECT repeat('9', 400)::numeric + $1::int", integer(0), &value);
  assert_true(value.type == ST_TEXT && value.length == 400);
  driver->finalize(huge);
}

static void bytes_in_another_form_are_a_failure(void **state) {
  fixture *f = *state;
  st_prepared *bytes = prepare(f->conn, "SELECT $1::bytea");
  run(f->conn, "SET bytea_output = 'escape'");
  assert_int_equal(start1(bytes, blob("\\xab", 4)), STELE_OK);
  assert_int_equal(driver->step(bytes), STELE_INTERNAL);
  assert_non_null(strstr(f->conn->problem, "in a form that was not asked for"));
  driver->finalize(bytes);
}

static void what_cannot_be_bound_is_refused(void **state) {
  fixture *f = *state;
  const st_value inner = integer(1), nested = list(&inner, 1), records = {.type = ST_RECORDS};
  const struct {
    st_value value;
    stele_status status;
  } cases[] = {{list(&nested, 1), STELE_INTERNAL},
               {list(&records, 1), STELE_INTERNAL},
               {records, STELE_INTERNAL},
               {blob("", (size_t)INT_MAX + 1), STELE_INVALID}};
  st_prepared *one = prepare(f->conn, "SELECT $1::text");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_int_equal(start1(one, cases[i].value), cases[i].status);
  fail_alloc_nth(1); /* a text that is escaped is copied */
  stele_status status = start1(one, text("\x01 mark"));
  assert_true(fail_alloc_end() && status == STELE_NOMEM);
  driver->finalize(one);
}

static void there_is_a_value_only_where_a_row_is(void **state) {
  fixture *f = *state;
  st_value value;
  st_prepared *one = prepare(f->conn, "SELECT 1");
  assert_int_equal(driver->changes(one), 0);
  driver->column(one, 0, &value);
  assert_int_equal(value.type, ST_NULL);
  assert_int_equal(driver->start(one, NULL, 0), STELE_OK);
  driver->column(one, 0, &value);
  assert_int_equal(value.type, ST_NULL);
  assert_int_equal(driver->step(one), STELE_ROW);
  driver->column(one, 1, &value);
  assert_int_equal(value.type, ST_NULL);
  assert_int_equal(driver->step(one), STELE_DONE);
  driver->column(one, 0, &value);
  assert_int_equal(value.type, ST_NULL);
  driver->finalize(one);
}

static char *no_field(const PGresult *result, int code) {
  (void)result, (void)code;
  return NULL;
}

static char *no_message(const PGresult *result) {
  (void)result;
  return (char *)"";
}

/* The state of an error decides, and where it comes from; one without either is a failure all the same. */
static void errors_are_told_by_what_they_say(void **state) {
  static const struct {
    const char *raised;
    stele_status status;
  } cases[] = {{"ERRCODE = '23505'", STELE_INVALID},
               {"ERRCODE = '23505', SCHEMA = 'public'", STELE_INVALID},
               {"ERRCODE = '23505', SCHEMA = 'pg_catalog'", STELE_CONFLICT},
               {"ERRCODE = '0A000'", STELE_INTERNAL},
               {"ERRCODE = '53400'", STELE_FULL},
               {"ERRCODE = 'XX001'", STELE_CORRUPT}};
  fixture *f = *state;
  char line[20];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char sql[300];
    snprintf(sql, sizeof sql, "DO $$ BEGIN RAISE EXCEPTION 'no' USING %s; END $$", cases[i].raised);
    st_prepared *prepared = prepare(f->conn, sql);
    assert_int_equal(driver->start(prepared, NULL, 0), cases[i].status);
    driver->finalize(prepared);
  }
  PQresultErrorField = no_field;
  assert_int_equal(driver->script(f->conn, "SELEC"), STELE_INTERNAL);
  PQresultErrorMessage = no_message;
  assert_int_equal(driver->script(f->conn, "SELEC"), STELE_INTERNAL);
  assert_string_equal(f->conn->problem, "no reason was given");
  st_libpq = libpq;
  assert_int_equal(number(f->conn, "SELECT 1"), 1);
  st_postgres_first_line(NULL, line, sizeof line);
  assert_string_equal(line, "");
}

static void marks_that_say_nothing_are_foreign(void **state) {
  static const st_store stores[] = {{.name = "sample", .version = 3, .mark = ST_MARK_SHAPE, .complete = true}, {.name = "other", .version = 3}};
  static const struct {
    const char *version, *store;
    int as;
    const char *foreign;
  } cases[] = {{"0", "sample", 0, "its stele_meta holds no version number but \"0\""},
               {"1000001", "sample", 0, "its stele_meta holds no version number but \"1000001\""},
               {"none", "sample", 1, "its stele_meta says that it is a sample store"},
               {"3", "sample", 1, "its stele_meta says that it is a sample store"},
               {"2", "sample", 0, ""}};
  fixture *f = *state;
  st_look found;
  run(f->conn, "CREATE TABLE stele_meta (key text PRIMARY KEY)");
  assert_int_equal(driver->look(f->conn, &found), STELE_OK);
  assert_string_equal(found.foreign, "it has no column listeners.id");
  run(f->conn, "ALTER TABLE stele_meta ADD value text");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char sql[200];
    snprintf(sql, sizeof sql, "DELETE FROM stele_meta; INSERT INTO stele_meta VALUES ('store', '%s'), ('version', '%s')", cases[i].store,
             cases[i].version);
    run(f->conn, sql);
    f->conn->store = &stores[cases[i].as];
    assert_int_equal(driver->begin(f->conn, false), STELE_OK);
    assert_int_equal(driver->look(f->conn, &found), STELE_OK);
    assert_string_equal(found.foreign, cases[i].foreign);
    driver->rollback(f->conn);
  }
}

/* ---- Others at the same time ------------------------------------------------------------------ */

/* As if another program made the schema between our look and our statement. */
static PGresult *made_by_another(PGconn *link, const char *sql, int count, const Oid *types, const char *const *values, const int *lengths,
                                 const int *formats, int form) {
  const char *name = strstr(sql, "CREATE SCHEMA IF NOT EXISTS ");
  char theirs[200];
  if (!name) return exec_params(link, sql, count, types, values, lengths, formats, form);
  snprintf(theirs, sizeof theirs, "CREATE SCHEMA %s", name + strlen("CREATE SCHEMA IF NOT EXISTS "));
  const char *const keys[] = {"dbname", NULL}, *const where[] = {server_url(), NULL};
  PGconn *other = PQconnectdbParams(keys, where, 1);
  PQclear(PQexec(other, theirs));
  PQfinish(other);
  return exec_params(link, theirs, 0, NULL, NULL, NULL, NULL, 0);
}

static void a_schema_that_another_program_makes_meanwhile_is_used(void **state) {
  fixture *f = *state;
  run(f->conn, "DO $$ BEGIN EXECUTE format('DROP SCHEMA %I', current_schema()); END $$");
  PQexecParams = made_by_another;
  st_conn *conn = open_as(&f->target, true);
  st_libpq = libpq;
  run(conn, "CREATE TABLE t (a int)");
  driver->close(conn);
}

/* ---- Confined statements ----------------------------------------------------------------------- */

static char *no_quotes(PGconn *link, const char *text, size_t length) {
  (void)link, (void)text, (void)length;
  return NULL;
}

static stele_status confined(st_conn *conn, bool write, const char *sql, st_value value) {
  static const char *const hidden[] = {"secrets", NULL};
  st_confined what = {.sql = sql, .params = &value, .nparams = 1, .hidden = hidden, .write = write, .rows = 10, .timeout_ms = 20000};
  st_prepared *prepared = NULL;
  stele_status status = driver->confinable(conn, hidden);
  assert_int_equal(driver->begin(conn, write), STELE_OK);
  if (status == STELE_OK) status = driver->confine(conn, &what, &prepared);
  while (status == STELE_OK || status == STELE_ROW) status = driver->step(prepared);
  if (prepared) {
    stele_status released = driver->release(conn, prepared);
    if (status == STELE_DONE) status = released;
  }
  driver->rollback(conn);
  return status;
}

static void a_confined_statement_fails_as_others_do(void **state) {
  fixture *f = *state;
  run(f->conn, "CREATE TABLE notes (id text, n float8); CREATE TABLE secrets (id text)");
  static const char select[] = "SELECT id AS \"the \"\"id\" FROM notes WHERE id = $1";
  assert_int_equal(confined(f->conn, false, select, text("x")), STELE_OK);
  assert_int_equal(confined(f->conn, true, "INSERT INTO notes (n) VALUES ($1) ; ", real(0.5)), STELE_OK);
  assert_int_equal(confined(f->conn, false, select, text_of("a\0b", 3)), STELE_INVALID);
  assert_int_equal(confined(f->conn, true, "INSERT INTO notes VALUES ($1); -- why not", text("x")), STELE_INVALID);
  char sum[2000] = "SELECT 0";
  for (int i = 1; i <= ST_CONFINED_PARAMS + 1; i++) snprintf(sum + strlen(sum), sizeof sum - strlen(sum), " + $%d::int", i);
  assert_int_equal(confined(f->conn, false, sum, integer(1)), STELE_INVALID);
  assert_string_equal(f->conn->problem, "at most 100 parameters");
  assert_int_equal(confined(f->conn, false, "SELECT 1 / $1::int", integer(0)), STELE_INVALID);
  PQescapeLiteral = no_quotes;
  assert_int_equal(confined(f->conn, false, select, text("x")), STELE_NOMEM);
  st_libpq = libpq;
  PQescapeIdentifier = no_quotes;
  assert_int_equal(confined(f->conn, false, select, integer(1)), STELE_NOMEM);
  st_libpq = libpq;
  for (int n = 1, reached = true; reached; n++) {
    fail_alloc_nth(n);
    stele_status status = confined(f->conn, true, "INSERT INTO notes (id) VALUES ($1)", text("x"));
    reached = fail_alloc_end();
    assert_true(status == STELE_OK || (reached && status == STELE_NOMEM));
  }
}

static void a_role_that_cannot_be_made_is_told(void **state) {
  fixture *f = *state;
  static const char *const secrets[] = {"secrets", NULL};
  const char *many[60] = {NULL};
  f->target.readonly = true;
  st_conn *reader = open_as(&f->target, false);
  assert_int_equal(driver->confinable(reader, secrets), STELE_READONLY);
  driver->close(reader);
  for (int i = 0; i < 59; i++) many[i] = "a long name";
  assert_int_equal(driver->confinable(f->conn, many), STELE_INTERNAL);
  run(f->conn, "CREATE TABLE notes (id text)");
  f->conn->stopped = true; /* nothing is written any more, roles neither */
  assert_int_equal(driver->confinable(f->conn, secrets), STELE_CORRUPT);
}

/* ---- Without a server --------------------------------------------------------------------------- */

static void where_nobody_answers_every_server_is_named(void **state) {
  static const struct {
    const char *location, *named;
    bool readonly;
  } cases[] = {{"hostaddr=127.0.0.1 port=1 user=u password=abc", "port 1 failed", false},
               {"postgres://127.0.0.1:1,127.0.0.1:2/d", "port 2 failed", false},
               {"postgres://127.0.0.1:1,127.0.0.1:2/d", "port 2 failed", true},
               {"postgres://127.0.0.1:1/d?target_session_attrs=primary", "port 1 failed", false},
               {"postgres://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3,127.0.0.1:4,127.0.0.1:5,127.0.0.1:6,127.0.0.1:7/d", "port 4 failed", false}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_target target = {.store = &sample, .location = cases[i].location, .schema = "s", .readonly = cases[i].readonly};
    char problem[400];
    st_conn *conn;
    assert_int_equal(driver->open(&target, true, &conn, problem), STELE_UNAVAILABLE);
    if (!strstr(problem, cases[i].named)) fail_msg("%s: %s", cases[i].location, problem);
  }
}

static void odd_urls_are_read(void **state) {
  static const char *const bad[] = {"%/0", "%:0", "%@0", "%G0", "%`0", "%g0", "%0/", "%0g"};
  st_postgres_address address;
  char url[100], line[] = "nothing secret";
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(url, sizeof url, "postgres://h/d?&schema=a%s", bad[i]);
    assert_true(st_postgres_split(url, &address));
    assert_string_equal(address.location, "postgres://h/d");
    assert_string_equal(address.schema, "");
    st_postgres_address_free(&address);
  }
  assert_false(st_postgres_is_url(NULL));
  st_postgres_hide(line, "");
  assert_string_equal(line, "nothing secret");
  driver->close(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FAILING(an_answer_that_libpq_cannot_keep_is_no_memory),
      FAILING(a_transaction_does_not_go_on_after_such_an_answer),
      FAILING(columns_that_cannot_be_described_are_none),
      FAILING(a_connection_that_libpq_cannot_make_is_no_memory),
      FAILING(a_stream_whose_rows_find_no_memory_says_so),
      FAILING(a_stream_that_ends_too_early_says_so),
      FAILING(values_that_have_no_form_of_ours_come_as_text),
      FAILING(bytes_in_another_form_are_a_failure),
      FAILING(what_cannot_be_bound_is_refused),
      FAILING(there_is_a_value_only_where_a_row_is),
      FAILING(errors_are_told_by_what_they_say),
      FAILING(marks_that_say_nothing_are_foreign),
      FAILING(a_schema_that_another_program_makes_meanwhile_is_used),
      FAILING(a_confined_statement_fails_as_others_do),
      FAILING(a_role_that_cannot_be_made_is_told),
      cmocka_unit_test(where_nobody_answers_every_server_is_named),
      cmocka_unit_test(odd_urls_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
