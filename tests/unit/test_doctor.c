/* test_doctor.c - the checkup, where it cannot be brought about from outside: room on a disk, an unsafe SQLite, a checkup
** that is stopped, a store whose own checks fail. */
#include "engine/doctor.h"
#include "unit/inside.h"

#define MB ((int64_t)1000000)
#define GB (1000 * MB)

static void test_room(void **state) {
  (void)state;
  assert_int_equal(st_disk_health(50 * GB, 100 * GB, 0), ST_HEALTH_OK);
  assert_int_equal(st_disk_health(50 * GB, 100 * GB, 50 * GB), ST_HEALTH_OK);
  assert_int_equal(st_disk_health(50 * GB, 100 * GB, 50 * GB + 1), ST_HEALTH_FAIL);
  assert_int_equal(st_disk_health(9 * GB, 100 * GB, 0), ST_HEALTH_WARN);
  assert_int_equal(st_disk_health(999 * MB, 2 * GB, 0), ST_HEALTH_WARN);
  assert_int_equal(st_disk_health(100 * MB, 200 * MB, 0), ST_HEALTH_WARN);
  assert_int_equal(st_disk_health(99 * MB, 200 * MB, 0), ST_HEALTH_FAIL);
}

static void test_sizes(void **state) {
  static const struct {
    int64_t bytes;
    const char *text;
  } cases[] = {{0, "0 B"}, {999, "999 B"}, {1000, "1.0 kB"}, {64 * MB, "64 MB"}, {999600, "1.0 MB"}, {INT64_MAX, "9.2 EB"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_string_equal(st_size(cases[i].bytes).text, cases[i].text);
}

static int unsafe_version(void) { return 3040001; }

static void test_an_unsafe_library(void **state) {
  stele_db *db = open_home(*state);
  st_sqlite_version = unsafe_version;
  const char *reply = must_call(db, "stele.doctor", NULL);
  st_sqlite_version = sqlite3_libversion_number;
  assert_non_null(strstr(reply, "\"check\":\"sqlite\",\"state\":\"warn\""));
  stele_close(db);
}

static void test_lines_of_a_store(void **state) {
  stele_db *db = open_home(*state);
  must_call(db, "sample.add_shelf", "{\"name\":\"attic\"}");
  const char *reply = must_call(db, "stele.doctor", "{\"stores\":[\"sample\"]}");
  assert_non_null(strstr(reply, "\"store\":\"sample\",\"check\":\"own\",\"state\":\"fail\",\"summary\":\"its own checks could not be made: "
                                "sample.doctor: there is nothing to count\""));
  must_call(db, "sample.put_item", "{\"shelf_id\":1,\"label\":\"lamp\"}");
  assert_non_null(strstr(must_call(db, "stele.doctor", NULL), "\"store\":\"sample\",\"check\":\"things\",\"state\":\"ok\",\"summary\":\"1 or so\""));
  assert_non_null(strstr(must_call(db, "stele.doctor", "{\"full\":true}"), "\"summary\":\"1 in full\""));
  stele_close(db);
}

static void test_in_memory(void **state) {
  stele_options options = {.size = sizeof options, .home = ":memory:"};
  (void)state;
  stele_db *db = must_open(&options);
  assert_null(strstr(must_call(db, "stele.doctor", NULL), "\"check\":\"home\""));
  must_call(db, "sample.add_shelf", "{\"name\":\"attic\"}");
  assert_non_null(strstr(must_call(db, "stele.doctor", NULL), "\"store\":\"sample\",\"check\":\"integrity\",\"state\":\"ok\""));
  stele_close(db);
}

/* Its user is how often it is still asked before it says stop. */
static int stop_later(void *user, const char *what, int64_t done, int64_t total) {
  int *left = user;
  (void)what;
  assert_true(done >= 0 && done < total);
  return (*left)-- == 0;
}

static void test_stopped(void **state) {
  stele_options options = home_options(*state);
  int left = 0;
  options.progress = stop_later;
  options.user = &left;
  stele_db *db = must_open(&options);
  must_fail(db, "stele.doctor", NULL, STELE_CANCELLED);
  left = 2;
  must_fail(db, "stele.doctor", NULL, STELE_CANCELLED);
  left = 100;
  must_call(db, "stele.doctor", NULL);
  stele_close(db);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_room),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test_setup_teardown(test_an_unsafe_library, home_set_up, home_tear_down),
      cmocka_unit_test_setup_teardown(test_lines_of_a_store, home_set_up, home_tear_down),
      cmocka_unit_test(test_in_memory),
      cmocka_unit_test_setup_teardown(test_stopped, home_set_up, home_tear_down),
  };
  return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
