/* test_copy.c - stele.copy is stopped by its caller, or finds no memory: it says so, and the same call goes on from there.
** (What it copies, and what it refuses, is tests/scale.) */
#include "base/arena.h"
#include "engine/copy_path.h"
#include "unit/fail_alloc.h"
#include "unit/shelves.h"

typedef struct listener {
  stele_db *db;
  int left;       /* so many reports, and it is stopped; negative: never */
  bool interrupt; /* by stele_interrupt(), else by the answer */
} listener;

static int listen(void *user, const char *what, int64_t done, int64_t total) {
  listener *l = user;
  (void)done, (void)total;
  if (strncmp(what, "sample.", 7) != 0 || l->left < 0 || l->left-- > 0) return 0;
  if (l->interrupt) stele_interrupt(l->db);
  return !l->interrupt;
}

/* A home with shelves and things, and the arguments that copy it beside itself. */
static stele_db *open_filled(const home *h, listener *l, char args[PATH_SIZE + 40]) {
  stele_options options = home_options(h);
  options.progress = listen;
  options.user = l;
  l->db = must_open(&options);
  l->left = -1;
  fill(l->db, 3);
  must_call(l->db, "sample.put_item", "{\"shelf_id\":1,\"label\":\"a\",\"weight\":0.5}");
  snprintf(args, PATH_SIZE + 40, "{\"to\":\"%.400s/copy\",\"store\":\"sample\"}", h->directory);
  return l->db;
}

static const char *copied(const home *h, const char *sql) {
  return sql_text(path_in(h->directory, "copy/sample.db"), sql);
}

static void a_copy_is_stopped_and_goes_on(void **state) {
  listener l = {0};
  char args[PATH_SIZE + 40];
  stele_db *db = open_filled(*state, &l, args);
  for (int stops = 0; stops < 4; stops++) {
    l.left = stops / 2;
    l.interrupt = stops % 2;
    must_fail(db, "stele.copy", args, STELE_CANCELLED);
  }
  l.left = -1;
  must_call(db, "stele.copy", args);
  assert_string_equal(copied(*state, "SELECT count(*) FROM shelves"), "3");
  stele_close(db);
}

static void a_copy_that_finds_no_memory_goes_on(void **state) {
  listener l = {0};
  char args[PATH_SIZE + 40];
  stele_db *db = open_filled(*state, &l, args);
  for (int arena = 0; arena < 2; arena++) {
    bool reached = true;
    for (int n = 1; reached; n = n < 60 ? n + 1 : n + n / 12) {
      char *reply = NULL;
      stele_status status;
      nftw(path_in(((home *)*state)->directory, "copy"), home_remove_one, 16, FTW_DEPTH | FTW_PHYS);
      fail_alloc_nth(n);
      st_arena_fails = arena ? st_alloc_fails : NULL;
      if (arena) st_alloc_fails = NULL;
      status = stele_call(db, "stele.copy", args, &reply);
      st_arena_fails = NULL;
      reached = fail_alloc_end();
      stele_free(reply);
      if (status != STELE_OK && !(reached && status == STELE_NOMEM)) fail_msg("%d: %s", n, stele_error(db)->message);
      must_call(db, "stele.copy", args);
      assert_string_equal(copied(*state, "SELECT count(*) FROM shelves"), "3");
      assert_string_equal(copied(*state, "SELECT weight FROM items"), "0.5");
    }
  }
  stele_close(db);
}

static void a_path_that_is_too_long_is_refused(void **state) {
  char stem[2 * ST_PATH_MAX], path[ST_PATH_MAX];
  (void)state;
  memset(stem, 'x', sizeof stem);
  stem[sizeof stem - 1] = '\0';
  assert_false(st_copy_path(stem, ".db", path));
  stem[10] = '\0';
  assert_true(st_copy_path(stem, ".db", path));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(a_copy_is_stopped_and_goes_on),
      home_test(a_copy_that_finds_no_memory_goes_on),
      cmocka_unit_test(a_path_that_is_too_long_is_refused),
  };
  return cmocka_run_group_tests_name("copy", tests, NULL, NULL);
}
