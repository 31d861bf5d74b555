/* test_statement.c - a method as a statement: binding every type, stepping, reading the columns; and
** what the words of the grammar do when a method runs. */
#include <math.h>

#include "unit/home.h"

/* ---- What the tests share ------------------------------------------------------------------- */

typedef struct fixture {
  home *home;
  stele_db *db;
  stele_stmt *stmt; /* of the test's own making; finalized at the end */
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (home_set_up((void **)&f->home) != 0) return -1;
  stele_options options = home_options(f->home);
  if (stele_open(&options, &f->db) != STELE_OK) return -1;
  if (stele_call(f->db, "sample.add_shelf", "{\"name\":\"attic\"}", NULL) != STELE_OK) return -1;
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  stele_finalize(f->stmt);
  stele_close(f->db);
  int rc = home_tear_down((void **)&f->home);
  free(f);
  return rc;
}

#define statement_test(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static void prepare(fixture *f, const char *method) {
  stele_finalize(f->stmt);
  f->stmt = NULL;
  assert_int_equal(stele_prepare(f->db, method, &f->stmt), STELE_OK);
}

/* Go on with a put_item that has all it needs. */
static void prepare_item(fixture *f, const char *label) {
  prepare(f, "sample.put_item");
  assert_int_equal(stele_bind_int(f->stmt, "shelf_id", 1), STELE_OK);
  assert_int_equal(stele_bind_text(f->stmt, "label", label, strlen(label)), STELE_OK);
}

static int64_t put(fixture *f) {
  if (stele_step(f->stmt) != STELE_ROW) fail_msg("%s", stele_error(f->db)->message);
  int64_t id = stele_column_int(f->stmt, 0);
  assert_int_equal(stele_step(f->stmt), STELE_DONE);
  return id;
}

/* The column of that name of the thing that was put last, in f->stmt. */
static size_t column_of(fixture *f, int64_t id, const char *name) {
  const stele_method *method = stele_method_find("sample.get_item");
  prepare(f, "sample.get_item");
  assert_int_equal(stele_bind_int(f->stmt, "id", id), STELE_OK);
  assert_int_equal(stele_step(f->stmt), STELE_ROW);
  for (size_t i = 0; i < method->nresults; i++)
    if (strcmp(method->results[i].name, name) == 0) return i;
  fail_msg("no column %s", name);
  return 0;
}

static int64_t int_of(fixture *f, int64_t id, const char *name) {
  size_t column = column_of(f, id, name);
  return stele_column_int(f->stmt, column);
}

static stele_value_type type_of(fixture *f, int64_t id, const char *name) {
  size_t column = column_of(f, id, name);
  return stele_column_type(f->stmt, column);
}

static void assert_text(fixture *f, int64_t id, const char *name, const char *expected) {
  size_t column = column_of(f, id, name);
  assert_int_equal(stele_column_type(f->stmt, column), STELE_TEXT);
  assert_string_equal(stele_column_text(f->stmt, column), expected);
  assert_int_equal(stele_column_bytes(f->stmt, column), strlen(expected));
}

/* The last bind or call was refused for this field, and says so. */
static void assert_blames(fixture *f, stele_status got, const char *field, const char *why) {
  const stele_failure *failure = stele_error(f->db);
  assert_int_equal(got, STELE_INVALID);
  assert_int_equal(failure->status, STELE_INVALID);
  assert_string_equal(failure->field, field);
  if (!strstr(failure->message, why)) fail_msg("%s", failure->message);
  if (!strstr(failure->message, "sample.")) fail_msg("no method in: %s", failure->message);
}

/* ---- Binding -------------------------------------------------------------------------------- */

static void test_int(void **state) {
  fixture *f = *state;
  prepare_item(f, "a");
  assert_int_equal(stele_bind_int(f->stmt, "amount", 1000), STELE_OK);
  size_t column = column_of(f, put(f), "amount");
  assert_int_equal(stele_column_type(f->stmt, column), STELE_INT);
  assert_int_equal(stele_column_int(f->stmt, column), 1000);
  assert_true(stele_column_real(f->stmt, column) == 1000.0);
  assert_null(stele_column_text(f->stmt, column));
  assert_int_equal(stele_column_bytes(f->stmt, column), 0);

  prepare_item(f, "b");
  assert_int_equal(stele_bind_real(f->stmt, "amount", 12.0), STELE_OK); /* a whole number */
  assert_int_equal(int_of(f, put(f), "amount"), 12);
}

static void test_int_refused(void **state) {
  fixture *f = *state;
  prepare_item(f, "a");
  assert_blames(f, stele_bind_int(f->stmt, "amount", 1001), "amount", "between 0 and 1000");
  assert_blames(f, stele_bind_int(f->stmt, "amount", -1), "amount", "between 0 and 1000");
  assert_blames(f, stele_bind_real(f->stmt, "amount", 1.5), "amount", "whole number");
  assert_blames(f, stele_bind_real(f->stmt, "amount", 1e300), "amount", "whole number");
  assert_blames(f, stele_bind_text(f->stmt, "amount", "7", 1), "amount", "whole number");
  assert_blames(f, stele_bind_blob(f->stmt, "amount", "7", 1), "amount", "amount");
  assert_blames(f, stele_bind_json(f->stmt, "amount", "[7]"), "amount", "whole number");
  assert_blames(f, stele_bind_null(f->stmt, "amount"), "amount", "null");
  assert_int_equal(int_of(f, put(f), "amount"), 1); /* as if never bound */
}

/* What was bound before a refused value stays. */
static void test_refused_values_change_nothing(void **state) {
  fixture *f = *state;
  prepare_item(f, "a");
  assert_int_equal(stele_bind_int(f->stmt, "amount", 5), STELE_OK);
  assert_blames(f, stele_bind_int(f->stmt, "amount", 5000), "amount", "between");
  assert_blames(f, stele_bind_text(f->stmt, "kind", "boat", 4), "kind", "box, book, tool");
  assert_blames(f, stele_bind_text(f->stmt, "uuid", "123", 3), "uuid", "UUID");
  assert_blames(f, stele_bind_json(f->stmt, "picture", "\"no base64!\""), "picture", "base64");
  assert_blames(f, stele_bind_int(f->stmt, "fragile", 2), "fragile", "true or false");
  int64_t id = put(f);
  assert_int_equal(int_of(f, id, "amount"), 5);
  assert_text(f, id, "kind", "box");
  assert_int_equal(type_of(f, id, "picture"), STELE_NULL);
  assert_int_equal(int_of(f, id, "fragile"), 0);
}

static void test_large_int(void **state) {
  fixture *f = *state;
  int64_t id = INT64_MAX;
  prepare(f, "sample.get_item");
  assert_int_equal(stele_bind_int(f->stmt, "id", id), STELE_OK);
  assert_int_equal(stele_step(f->stmt), STELE_DONE);
  assert_reply(f->db, "sample.get_item", "{\"id\":9223372036854775807}", "null");
  assert_reply(f->db, "sample.get_item", "{\"id\":-9223372036854775808}", "null");
  must_fail(f->db, "sample.get_item", "{\"id\":9223372036854775808}", STELE_INVALID);
}

static void test_real(void **state) {
  fixture *f = *state;
  prepare_item(f, "a");
  assert_int_equal(stele_bind_real(f->stmt, "weight", 0.1), STELE_OK);
  size_t column = column_of(f, put(f), "weight");
  assert_int_equal(stele_column_type(f->stmt, column), STELE_REAL);
  assert_true(stele_column_real(f->stmt, column) == 0.1);
  assert_int_equal(stele_column_int(f->stmt, column), 0);

  prepare_item(f, "b");
  assert_int_equal(stele_bind_int(f->stmt, "weight", 3), STELE_OK);
  column = column_of(f, put(f), "weight");
  assert_int_equal(stele_column_type(f->stmt, column), STELE_REAL); /* the declared type, not the bound one */
  assert_true(stele_column_real(f->stmt, column) == 3.0);

  prepare_item(f, "c");
  assert_blames(f, stele_bind_real(f->stmt, "weight", -0.5), "weight", "at least 0");
  assert_blames(f, stele_bind_real(f->stmt, "weight", NAN), "weight", "finite");
  assert_blames(f, stele_bind_real(f->stmt, "weight", INFINITY), "weight", "finite");
  assert_int_equal(stele_bind_null(f->stmt, "weight"), STELE_OK);
  column = column_of(f, put(f), "weight");
  assert_int_equal(stele_column_type(f->stmt, column), STELE_NULL);
  assert_true(stele_column_real(f->stmt, column) == 0.0);
  assert_int_equal(stele_column_int(f->stmt, column), 0);
  assert_null(stele_column_text(f->stmt, column));
}

static void test_text(void **state) {
  fixture *f = *state;
  char label[] = "caf\xC3\xA9 and more";
  prepare(f, "sample.put_item");
  assert_int_equal(stele_bind_int(f->stmt, "shelf_id", 1), STELE_OK);
  assert_int_equal(stele_bind_text(f->stmt, "label", label, 5), STELE_OK); /* this many bytes */
  memset(label, '-', sizeof label);                                        /* it was copied */
  int64_t id = put(f);
  assert_text(f, id, "label", "caf\xC3\xA9");
  prepare_item(f, "x");
  assert_blames(f, stele_bind_text(f->stmt, "label", "caf\xC3", 4), "label", "UTF-8");
  assert_blames(f, stele_bind_int(f->stmt, "label", 5), "label", "a text");
  assert_int_equal(stele_bind_text(f->stmt, "note", NULL, 0), STELE_OK); /* null */
  assert_int_equal(type_of(f, put(f), "note"), STELE_NULL);
  prepare_item(f, "y");
  assert_int_equal(stele_bind_text(f->stmt, "note", "", 0), STELE_OK); /* not the same */
  assert_text(f, put(f), "note", "");
}

static void test_text_with_nul(void **state) {
  fixture *f = *state;
  prepare_item(f, "x");
  assert_int_equal(stele_bind_text(f->stmt, "note", "a\0b", 3), STELE_OK);
  int64_t id = put(f);
  size_t column = column_of(f, id, "note");
  assert_int_equal(stele_column_bytes(f->stmt, column), 3);
  assert_memory_equal(stele_column_text(f->stmt, column), "a\0b", 4);
  assert_non_null(strstr(must_call(f->db, "sample.get_item", "{\"id\":1}"), "\"note\":\"a\\u0000b\""));
}

static void test_choice(void **state) {
  fixture *f = *state;
  prepare_item(f, "x");
  assert_blames(f, stele_bind_text(f->stmt, "kind", "Book", 4), "kind", "one of box, book, tool");
  assert_blames(f, stele_bind_text(f->stmt, "kind", "boo", 3), "kind", "one of");
  assert_int_equal(stele_bind_text(f->stmt, "kind", "book", 4), STELE_OK);
  assert_text(f, put(f), "kind", "book");
}

static void test_bool(void **state) {
  fixture *f = *state;
  prepare_item(f, "x");
  assert_int_equal(stele_bind_json(f->stmt, "fragile", "true"), STELE_OK);
  int64_t id = put(f);
  size_t column = column_of(f, id, "fragile");
  assert_int_equal(stele_column_type(f->stmt, column), STELE_INT);
  assert_int_equal(stele_column_int(f->stmt, column), 1);
  assert_non_null(strstr(must_call(f->db, "sample.get_item", "{\"id\":1}"), "\"fragile\":true"));
  prepare_item(f, "y");
  assert_blames(f, stele_bind_text(f->stmt, "fragile", "yes", 3), "fragile", "true or false");
  assert_blames(f, stele_bind_real(f->stmt, "fragile", 1.0), "fragile", "true or false");
  assert_int_equal(stele_bind_int(f->stmt, "fragile", 1), STELE_OK);
  assert_int_equal(stele_bind_int(f->stmt, "fragile", 0), STELE_OK); /* the last one counts */
  assert_int_equal(int_of(f, put(f), "fragile"), 0);
}

static void test_blob(void **state) {
  fixture *f = *state;
  const unsigned char bytes[] = {0, 1, 2, 0xFF, 0, 'x'};
  prepare_item(f, "x");
  assert_int_equal(stele_bind_blob(f->stmt, "picture", bytes, sizeof bytes), STELE_OK);
  int64_t id = put(f);
  size_t column = column_of(f, id, "picture");
  assert_int_equal(stele_column_type(f->stmt, column), STELE_BLOB);
  assert_int_equal(stele_column_bytes(f->stmt, column), sizeof bytes);
  assert_memory_equal(stele_column_text(f->stmt, column), bytes, sizeof bytes);
  assert_non_null(strstr(must_call(f->db, "sample.get_item", "{\"id\":1}"), "\"picture\":\"AAEC/wB4\""));

  must_call(f->db, "sample.put_item", "{\"shelf_id\":1,\"label\":\"y\",\"picture\":\"AAEC/wB4\"}");
  column = column_of(f, 2, "picture");
  assert_int_equal(stele_column_bytes(f->stmt, column), sizeof bytes);
  assert_memory_equal(stele_column_text(f->stmt, column), bytes, sizeof bytes);
  must_fail(f->db, "sample.put_item", "{\"shelf_id\":1,\"label\":\"z\",\"picture\":\"AAEC/wB\"}", STELE_INVALID);
  must_fail(f->db, "sample.put_item", "{\"shelf_id\":1,\"label\":\"z\",\"picture\":17}", STELE_INVALID);
}

static void test_empty_blob(void **state) {
  fixture *f = *state;
  prepare_item(f, "x");
  assert_int_equal(stele_bind_blob(f->stmt, "picture", NULL, 0), STELE_OK);
  size_t column = column_of(f, put(f), "picture");
  assert_int_equal(stele_column_type(f->stmt, column), STELE_BLOB); /* empty is not null */
  assert_int_equal(stele_column_bytes(f->stmt, column), 0);
  assert_non_null(strstr(must_call(f->db, "sample.get_item", "{\"id\":1}"), "\"picture\":\"\""));
  must_call(f->db, "sample.put_item", "{\"shelf_id\":1,\"label\":\"y\",\"picture\":\"\"}");
  assert_int_equal(type_of(f, 2, "picture"), STELE_BLOB);
  prepare_item(f, "z");
  assert_blames(f, stele_bind_blob(f->stmt, "label", "z", 1), "label", "label");
}

static void test_json(void **state) {
  fixture *f = *state;
  prepare_item(f, "a");
  assert_int_equal(stele_bind_json(f->stmt, "attributes", " {\"b\": 1.0, \"a\":[null, \"\\u00e9\"]} "), STELE_OK);
  assert_text(f, put(f), "attributes", "{\"b\": 1.0, \"a\":[null, \"\\u00e9\"]}"); /* as it was written */
  prepare_item(f, "b");
  assert_int_equal(stele_bind_text(f->stmt, "attributes", "[1,2]garbage", 5), STELE_OK); /* this many bytes */
  assert_text(f, put(f), "attributes", "[1,2]");
  prepare_item(f, "c");
  assert_int_equal(stele_bind_int(f->stmt, "attributes", 7), STELE_OK);
  assert_text(f, put(f), "attributes", "7");
  prepare_item(f, "d");
  assert_blames(f, stele_bind_json(f->stmt, "attributes", "{\"b\":}"), "attributes", "JSON");
  assert_blames(f, stele_bind_text(f->stmt, "attributes", "{", 1), "attributes", "JSON");
  assert_text(f, put(f), "attributes", "{}");
  must_call(f->db, "sample.put_item", "{\"shelf_id\":1,\"label\":\"e\",\"attributes\":{\"x\":[1]}}");
  assert_non_null(strstr(must_call(f->db, "sample.get_item", "{\"id\":5}"), "\"attributes\":{\"x\":[1]},"));
}

static void test_jsontext(void **state) {
  fixture *f = *state;
  prepare_item(f, "a");
  assert_int_equal(stele_bind_text(f->stmt, "tags", "[\"old\"]", 7), STELE_OK);
  assert_text(f, put(f), "tags", "[\"old\"]");
  prepare_item(f, "b");
  assert_int_equal(stele_bind_json(f->stmt, "tags", "[\"new\"]"), STELE_OK); /* the array itself */
  assert_text(f, put(f), "tags", "[\"new\"]");
  assert_non_null(strstr(must_call(f->db, "sample.get_item", "{\"id\":2}"), "\"tags\":\"[\\\"new\\\"]\"")); /* a text */
  prepare_item(f, "c");
  assert_blames(f, stele_bind_text(f->stmt, "tags", "[\"old\"", 6), "tags", "JSON");
  assert_blames(f, stele_bind_int(f->stmt, "tags", 1), "tags", "JSON");
}

static void test_time(void **state) {
  fixture *f = *state;
  static const char *const same[] = {"\"2025-11-15T10:46:40.25+01:00\"", "1763200000.25", "\"2025-11-15 09:46:40.25\""};
  for (size_t i = 0; i < 3; i++) {
    char label[2] = {(char)('a' + i), '\0'};
    prepare_item(f, label);
    assert_int_equal(stele_bind_json(f->stmt, "made_at", same[i]), STELE_OK);
    assert_text(f, put(f), "made_at", "2025-11-15T09:46:40.250000+00:00");
  }
  prepare_item(f, "d");
  assert_int_equal(stele_bind_int(f->stmt, "made_at", 0), STELE_OK);
  assert_text(f, put(f), "made_at", "1970-01-01T00:00:00.000000+00:00");
  prepare_item(f, "e");
  assert_blames(f, stele_bind_text(f->stmt, "made_at", "yesterday", 9), "made_at", "RFC 3339");
  assert_blames(f, stele_bind_real(f->stmt, "made_at", 1e300), "made_at", "RFC 3339");
  assert_blames(f, stele_bind_json(f->stmt, "made_at", "true"), "made_at", "RFC 3339");
  size_t column = column_of(f, put(f), "made_at"); /* now */
  assert_int_equal(stele_column_bytes(f->stmt, column), strlen("2025-11-15T09:46:40.250000+00:00"));
}

static void test_duration(void **state) {
  fixture *f = *state;
  static const struct {
    const char *json;
    double seconds;
  } cases[] = {{"90", 90}, {"1.5", 1.5}, {"\"15m\"", 900}, {"\"7d\"", 604800}, {"\"250ms\"", 0.25}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char label[2] = {(char)('a' + i), '\0'};
    prepare_item(f, label);
    assert_int_equal(stele_bind_json(f->stmt, "lifetime", cases[i].json), STELE_OK);
    size_t column = column_of(f, put(f), "lifetime");
    assert_true(stele_column_real(f->stmt, column) == cases[i].seconds);
  }
  prepare_item(f, "z");
  assert_blames(f, stele_bind_int(f->stmt, "lifetime", -1), "lifetime", "length of time");
  assert_blames(f, stele_bind_text(f->stmt, "lifetime", "soon", 4), "lifetime", "length of time");
}

static void test_uuid(void **state) {
  fixture *f = *state;
  char first[40];
  prepare_item(f, "a");
  assert_int_equal(stele_bind_text(f->stmt, "uuid", "0190c9c7-7b3a-7000-8000-000000000001", 36), STELE_OK);
  assert_text(f, put(f), "uuid", "0190c9c7-7b3a-7000-8000-000000000001");
  prepare_item(f, "b");
  size_t column = column_of(f, put(f), "uuid"); /* made anew */
  assert_int_equal(stele_column_bytes(f->stmt, column), 36);
  snprintf(first, sizeof first, "%s", stele_column_text(f->stmt, column));
  prepare_item(f, "c");
  column = column_of(f, put(f), "uuid");
  assert_true(strcmp(first, stele_column_text(f->stmt, column)) < 0); /* another, and a later one */
}

static void test_records(void **state) {
  fixture *f = *state;
  prepare(f, "sample.put_items");
  assert_int_equal(stele_bind_json(f->stmt, "items",
                                   "[{\"shelf_id\":1,\"label\":\"a\"},"
                                   "{\"label\":\"b\",\"amount\":3,\"shelf_id\":1,\"made_at\":0}]"),
                   STELE_OK);
  assert_int_equal(stele_step(f->stmt), STELE_ROW);
  assert_int_equal(stele_column_int(f->stmt, 0), 2);
  assert_int_equal(int_of(f, 1, "amount"), 1); /* the default */
  assert_int_equal(int_of(f, 2, "amount"), 3);
  prepare(f, "sample.put_items");
  assert_blames(f, stele_bind_json(f->stmt, "items", "[{\"shelf_id\":1,\"label\":\"c\"},{\"shelf_id\":1}]"),
                "items[1].label", "items[1] needs label");
  assert_blames(f, stele_bind_json(f->stmt, "items", "[{\"shelf_id\":1,\"label\":\"c\",\"amount\":-3}]"),
                "items[0].amount", "between 0 and 1000");
  assert_blames(f, stele_bind_json(f->stmt, "items", "[{\"shelf_id\":1,\"label\":\"c\",\"colour\":3}]"),
                "items[0].colour", "no field colour");
  assert_blames(f, stele_bind_json(f->stmt, "items", "[1]"), "items", "array of objects");
  assert_blames(f, stele_bind_json(f->stmt, "items", "{}"), "items", "an array");
  assert_blames(f, stele_step(f->stmt), "items", "needs items");
}

static void test_unknown_and_missing(void **state) {
  fixture *f = *state;
  prepare(f, "sample.put_item");
  assert_blames(f, stele_bind_int(f->stmt, "shelf", 1), "shelf", "no argument shelf");
  assert_blames(f, stele_bind_blob(f->stmt, "shelf", "", 0), "shelf", "no argument shelf");
  assert_blames(f, stele_bind_null(f->stmt, "shelf"), "shelf", "no argument shelf");
  assert_blames(f, stele_bind_real(f->stmt, "shelf", 1.5), "shelf", "no argument shelf");
  assert_blames(f, stele_bind_text(f->stmt, "shelf", "a", 1), "shelf", "no argument shelf");
  assert_blames(f, stele_bind_json(f->stmt, "shelf", "[]"), "shelf", "no argument shelf");
  assert_int_equal(stele_bind_int(f->stmt, NULL, 1), STELE_INVALID);
  assert_int_equal(stele_bind_int(f->stmt, "shelf_id", 1), STELE_OK);
  assert_blames(f, stele_step(f->stmt), "label", "needs label");
  assert_string_equal(stele_error(f->db)->method, "sample.put_item");
}

static void test_no_statement(void **state) {
  char *json = NULL;
  (void)state;
  assert_int_equal(stele_bind_null(NULL, "label"), STELE_MISUSE);
  assert_int_equal(stele_bind_real(NULL, "label", 1), STELE_MISUSE);
  assert_int_equal(stele_bind_text(NULL, "label", "a", 1), STELE_MISUSE);
  assert_int_equal(stele_bind_blob(NULL, "label", "a", 1), STELE_MISUSE);
  assert_int_equal(stele_bind_json(NULL, "label", "1"), STELE_MISUSE);
  assert_int_equal(stele_step(NULL), STELE_MISUSE);
  assert_int_equal(stele_row_json(NULL, &json), STELE_MISUSE);
  stele_reset(NULL);
  stele_finalize(NULL);
}

/* ---- Stepping ------------------------------------------------------------------------------- */

static void test_reset(void **state) {
  fixture *f = *state;
  prepare_item(f, "a");
  assert_int_equal(stele_bind_int(f->stmt, "amount", 9), STELE_OK);
  assert_int_equal(stele_step(f->stmt), STELE_ROW);
  assert_int_equal(stele_bind_int(f->stmt, "amount", 1), STELE_MISUSE); /* it has run */
  stele_reset(f->stmt);
  assert_int_equal(stele_column_type(f->stmt, 0), STELE_NULL);
  assert_blames(f, stele_step(f->stmt), "shelf_id", "needs shelf_id"); /* nothing is bound any more */
  stele_reset(f->stmt);
  assert_int_equal(stele_bind_int(f->stmt, "shelf_id", 1), STELE_OK);
  assert_int_equal(stele_bind_text(f->stmt, "label", "b", 1), STELE_OK);
  assert_int_equal(put(f), 2);
  assert_int_equal(stele_step(f->stmt), STELE_DONE); /* and stays so */
  assert_int_equal(int_of(f, 2, "amount"), 1);
}

static void test_reset_in_the_middle(void **state) {
  fixture *f = *state;
  must_call(f->db, "sample.add_shelf", "{\"name\":\"cellar\"}");
  prepare(f, "sample.get_shelves");
  for (int i = 0; i < 3; i++) {
    assert_int_equal(stele_step(f->stmt), STELE_ROW);
    assert_string_equal(stele_column_text(f->stmt, 1), "attic");
    stele_reset(f->stmt);
  }
  assert_int_equal(stele_step(f->stmt), STELE_ROW);
  assert_int_equal(stele_step(f->stmt), STELE_ROW);
  assert_int_equal(stele_step(f->stmt), STELE_DONE);
}

static void test_columns(void **state) {
  fixture *f = *state;
  prepare(f, "sample.get_shelves");
  assert_int_equal(stele_column_count(f->stmt), 4);
  assert_int_equal(stele_column_type(f->stmt, 0), STELE_NULL); /* before the first row */
  assert_int_equal(stele_step(f->stmt), STELE_ROW);
  assert_int_equal(stele_column_type(f->stmt, 0), STELE_INT);
  assert_int_equal(stele_column_type(f->stmt, 2), STELE_NULL);
  assert_int_equal(stele_column_type(f->stmt, 4), STELE_NULL); /* there is none */
  assert_int_equal(stele_column_count(NULL), 0);
  assert_int_equal(stele_column_int(NULL, 0), 0);
}

static void test_write_is_done_at_the_first_step(void **state) {
  fixture *f = *state;
  prepare_item(f, "a");
  assert_int_equal(stele_step(f->stmt), STELE_ROW);
  stele_db *other = open_home(f->home);
  assert_non_null(strstr(must_call(other, "sample.get_item", "{\"id\":1}"), "\"label\":\"a\""));
  stele_close(other);
}

/* ---- The words of the grammar --------------------------------------------------------------- */

static void put_three(fixture *f) {
  must_call(f->db, "sample.put_items",
            "{\"items\":[{\"shelf_id\":1,\"label\":\"Apple\",\"weight\":0.5,\"note\":\"red\",\"made_at\":100},"
            "{\"shelf_id\":1,\"label\":\"pear\",\"weight\":0.25,\"made_at\":200},"
            "{\"shelf_id\":1,\"label\":\"it's \\\"odd\\\"\",\"made_at\":300}]}");
}

/* The ids that find_items answers: "1 3". */
static void assert_found(fixture *f, const char *args, const char *expected) {
  char found[100] = "";
  const char *reply = must_call(f->db, "sample.find_items", args);
  for (const char *at = reply; (at = strstr(at, "\"id\":")) != NULL; at++) {
    size_t used = strlen(found);
    snprintf(found + used, sizeof found - used, "%s%ld", used ? " " : "", strtol(at + 5, NULL, 10));
  }
  if (strcmp(found, expected) != 0) fail_msg("%s: %s, not %s", args, found, expected);
}

static void test_if(void **state) {
  fixture *f = *state;
  put_three(f);
  assert_found(f, "{}", "1 2 3");
  assert_found(f, "{\"heavier\":0.3}", "1");
  assert_found(f, "{\"made_after\":150}", "2 3");
  assert_found(f, "{\"made_after\":\"1970-01-01T00:01:41Z\",\"heavier\":0.1}", "2");
  assert_found(f, "{\"note\":\"red\"}", "1");
  assert_found(f, "{\"note\":null}", "2 3"); /* sent, and null: not the same as absent */
  assert_found(f, "{\"pattern\":\"a%\"}", "1");
  assert_found(f, "{\"limit\":2}", "1 2");
  must_fail(f->db, "sample.find_items", "{\"heavier\":null}", STELE_INVALID);
  must_fail(f->db, "sample.find_items", "{\"limit\":0}", STELE_INVALID);
}

static void test_lists(void **state) {
  fixture *f = *state;
  put_three(f);
  assert_found(f, "{\"ids\":[3,1,99]}", "1 3");
  assert_found(f, "{\"ids\":[]}", "");
  assert_found(f, "{\"without\":[3,1]}", "2");
  assert_found(f, "{\"without\":[]}", "1 2 3");
  assert_found(f, "{\"ids\":[1,2],\"without\":[1]}", "2");
  assert_found(f, "{\"labels\":[\"pear\",\"it's \\\"odd\\\"\"]}", "2 3");
  assert_found(f, "{\"labels\":[\"PEAR\"]}", "");
  assert_found(f, "{\"weights\":[0.5,7]}", "1");
  must_fail(f->db, "sample.find_items", "{\"ids\":[1,\"2\"]}", STELE_INVALID);
  assert_string_equal(stele_error(f->db)->field, "ids");
  must_fail(f->db, "sample.find_items", "{\"ids\":[1,null]}", STELE_INVALID);
  must_fail(f->db, "sample.find_items", "{\"ids\":1}", STELE_INVALID);
  must_fail(f->db, "sample.find_items", "{\"ids\":null}", STELE_INVALID);
}

/* Absent leaves a column alone, null empties it. */
static void test_partial_update(void **state) {
  fixture *f = *state;
  put_three(f);
  assert_reply(f->db, "sample.change_item", "{\"id\":1,\"label\":\"plum\"}", "{\"changed\":1}");
  assert_found(f, "{\"labels\":[\"plum\"],\"note\":\"red\",\"weights\":[0.5]}", "1");
  assert_reply(f->db, "sample.change_item", "{\"id\":1,\"note\":null,\"weight\":2}", "{\"changed\":1}");
  assert_found(f, "{\"labels\":[\"plum\"],\"note\":null,\"weights\":[2]}", "1");
  assert_reply(f->db, "sample.change_item", "{\"id\":1}", "{\"changed\":1}");
  assert_found(f, "{\"labels\":[\"plum\"],\"note\":null,\"weights\":[2]}", "1");
  must_fail(f->db, "sample.change_item", "{\"id\":1,\"label\":null}", STELE_INVALID);
}

static void test_else(void **state) {
  fixture *f = *state;
  put_three(f);
  must_fail(f->db, "sample.change_item", "{\"id\":9}", STELE_NOTFOUND);
  assert_string_equal(stele_error(f->db)->field, "id");
  assert_string_equal(stele_error(f->db)->message, "sample.change_item: id 9 does not exist");
  assert_reply(f->db, "sample.claim_item", "{\"id\":2,\"note\":\"mine\"}", "{}");
  must_fail(f->db, "sample.claim_item", "{\"id\":2,\"note\":\"no, mine\"}", STELE_CONFLICT);
  assert_string_equal(stele_error(f->db)->field, "id");
  must_fail(f->db, "sample.claim_item", "{\"id\":9,\"note\":\"mine\"}", STELE_NOTFOUND);
  assert_found(f, "{\"note\":\"mine\"}", "2");
  must_fail(f->db, "sample.put_item", "{\"shelf_id\":9,\"label\":\"x\"}", STELE_NOTFOUND);
  assert_string_equal(stele_error(f->db)->field, "shelf_id");
}

static void test_changed(void **state) {
  fixture *f = *state;
  put_three(f);
  must_call(f->db, "sample.add_shelf", "{\"name\":\"cellar\"}");
  assert_reply(f->db, "sample.move_items", "{\"source\":1,\"to\":2}", "{\"items\":3,\"shelves\":1,\"all\":4}");
  assert_reply(f->db, "sample.move_items", "{\"source\":1,\"to\":2}", "{\"items\":0,\"shelves\":1,\"all\":1}");
  must_fail(f->db, "sample.move_items", "{\"source\":2,\"to\":3}", STELE_NOTFOUND);
  assert_reply(f->db, "sample.add_twins", "{\"first\":\"a\",\"second\":\"b\"}", "{\"count\":2}");
  assert_reply(f->db, "sample.remove_shelf", "{\"id\":77}", "{\"count\":0}");
}

static void test_shapes(void **state) {
  fixture *f = *state;
  assert_reply(f->db, "sample.get_item", "{\"id\":1}", "null");
  assert_reply(f->db, "sample.find_items", NULL, "[]");
  assert_reply(f->db, "sample.get_sizes", "{\"text\":\"caf\xC3\xA9\"}", "[{\"engine\":\"sqlite\",\"size\":4}]");
  assert_reply(f->db, "sample.get_report", NULL, "{\"report\":[{\"shelf\":\"attic\",\"things\":0}]}");
  prepare(f, "sample.get_item");
  assert_int_equal(stele_bind_int(f->stmt, "id", 1), STELE_OK);
  assert_int_equal(stele_step(f->stmt), STELE_DONE);
}

/* A damaged JSON column cannot damage the reply. */
static void test_damaged_json(void **state) {
  fixture *f = *state;
  put_three(f);
  sql_run(path_in(f->home->path, "sample.db"), "UPDATE items SET attributes = '{\"a\":' WHERE id = 1");
  assert_non_null(strstr(must_call(f->db, "sample.get_item", "{\"id\":1}"), "\"attributes\":\"{\\\"a\\\":\""));
}

/* All arguments at once, and the row as the reply of stele_call() has it. */
static void test_row_json(void **state) {
  fixture *f = *state;
  char *row = NULL;
  prepare(f, "sample.put_item");
  assert_int_equal(
      stele_bind_json(f->stmt, "", "{\"shelf_id\":1,\"label\":\"a \\\"b\\\"\",\"attributes\":{ \"x\" :\n[1, \"\\n \\\\\"] }}"),
      STELE_OK);
  int64_t id = put(f);
  assert_int_equal(stele_row_json(f->stmt, &row), STELE_MISUSE);
  assert_null(row);
  prepare(f, "sample.get_item");
  assert_int_equal(stele_bind_int(f->stmt, "id", id), STELE_OK);
  assert_int_equal(stele_row_json(f->stmt, &row), STELE_MISUSE); /* not yet */
  assert_int_equal(stele_step(f->stmt), STELE_ROW);
  assert_int_equal(stele_row_json(f->stmt, &row), STELE_OK);
  assert_non_null(strstr(row, "\"attributes\":{\"x\":[1,\"\\n \\\\\"]}"));
  assert_non_null(strstr(row, "\"label\":\"a \\\"b\\\"\""));
  assert_null(strchr(row, '\n'));
  stele_free(row);
}

static void test_bind_all(void **state) {
  fixture *f = *state;
  prepare(f, "sample.put_item");
  assert_blames(f, stele_bind_json(f->stmt, "", "{\"lable\":1}"), "lable", "lable");
  assert_int_equal(stele_bind_json(f->stmt, "", "[]"), STELE_INVALID);
  assert_int_equal(stele_bind_json(f->stmt, NULL, "{}"), STELE_INVALID);
  assert_int_equal(stele_bind_json(f->stmt, "", NULL), STELE_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      statement_test(test_int),
      statement_test(test_int_refused),
      statement_test(test_refused_values_change_nothing),
      statement_test(test_large_int),
      statement_test(test_real),
      statement_test(test_text),
      statement_test(test_text_with_nul),
      statement_test(test_choice),
      statement_test(test_bool),
      statement_test(test_blob),
      statement_test(test_empty_blob),
      statement_test(test_json),
      statement_test(test_jsontext),
      statement_test(test_time),
      statement_test(test_duration),
      statement_test(test_uuid),
      statement_test(test_records),
      statement_test(test_unknown_and_missing),
      statement_test(test_no_statement),
      statement_test(test_reset),
      statement_test(test_reset_in_the_middle),
      statement_test(test_columns),
      statement_test(test_write_is_done_at_the_first_step),
      statement_test(test_if),
      statement_test(test_lists),
      statement_test(test_partial_update),
      statement_test(test_else),
      statement_test(test_changed),
      statement_test(test_shapes),
      statement_test(test_damaged_json),
      statement_test(test_row_json),
      statement_test(test_bind_all),
  };
  return cmocka_run_group_tests_name("statement", tests, NULL, NULL);
}
