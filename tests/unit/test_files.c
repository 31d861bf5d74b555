/* test_files.c - files that must be there whole or not at all: names that are too long, in the way, held by another. */
#include <fcntl.h>

#include "engine/backup.h"
#include "engine/durable.h"
#include "engine/manifest.h"
#include "engine/network_fs.h"
#include "engine/swap.h"
#include "engine/sync_name.h"
#include "home.h"

/* A path of so many bytes; lives until the next call. */
static char *long_path(size_t length) {
  static char path[8192];
  memset(path, 'x', length);
  for (size_t i = 0; i < length; i += 100) path[i] = '/';
  path[length] = '\0';
  return path;
}

static void write_text(const char *path, const char *text) {
  char problem[ST_PROBLEM_MAX] = "";
  assert_int_equal(st_write_new(path, text, strlen(text), problem), STELE_OK);
}

/* Whatever is added to a path may be too much: that is told, and not cut off. */
static void test_long_paths(void **state) {
  home *h = *state;
  char problem[ST_PROBLEM_MAX], aside[ST_PATH_MAX];
  const char *file = path_in(h->directory, "file");
  st_manifest about = {.version = 1};
  write_text(file, "new");
  for (size_t length = 4070; length < 4120; length += 3) {
    const char *path = long_path(length);
    assert_int_not_equal(st_swap_in(file, path, true, aside, problem), STELE_OK);
    assert_int_not_equal(st_manifest_write(path, &about, problem), STELE_OK);
    assert_int_not_equal(st_manifest_read(path, &about, problem), STELE_OK);
    assert_int_not_equal(st_give_name(path, file, problem), STELE_OK);
    assert_false(st_sync_name(path));
    assert_false(st_on_network_fs(path));
    st_clear_away(path, false);
    assert_int_equal(access(file, F_OK), 0);
  }
  assert_false(st_sync_name(long_path(5000)));
}

static void assert_text(const char *path, const char *text) {
  size_t length;
  char *bytes = read_bytes(path, &length);
  assert_int_equal(length, strlen(text));
  assert_memory_equal(bytes, text, length);
  free(bytes);
}

/* What is there is replaced if that was said, and only by what was asked for. */
static void test_swap(void **state) {
  home *h = *state;
  char problem[ST_PROBLEM_MAX], aside[ST_PATH_MAX];
  const char *file = path_in(h->directory, "file"), *store = path_in(h->directory, "store.db");
  write_text(file, "new");
  write_text(store, "old");
  assert_int_equal(st_swap_in(file, store, false, aside, problem), STELE_CONFLICT);
  assert_text(store, "old");
  assert_int_equal(st_swap_in(file, store, true, aside, problem), STELE_OK);
  assert_text(store, "new");
  assert_text(aside, "old");
  assert_int_equal(st_swap_in(file, store, true, aside, problem), STELE_IO); /* it is gone now */
  assert_text(store, "new");
  assert_int_equal(st_swap_in(file, path_in(h->directory, "none/store.db"), true, aside, problem), STELE_IO);
}

/* A file that another is writing is not touched; one that nobody writes is. */
static void test_held(void **state) {
  home *h = *state;
  char problem[ST_PROBLEM_MAX];
  const char *path = path_in(h->directory, "part"), *link = path_in(h->directory, "link");
  int held, second;
  assert_int_equal(st_hold_new(path, &held, problem), STELE_OK);
  assert_int_equal(st_hold_new(path, &second, problem), STELE_BUSY);
  assert_int_equal(second, -1);
  assert_false(st_clear_abandoned(path));
  assert_int_equal(access(path, F_OK), 0);
  close(held);
  assert_int_equal(symlink(path, link), 0);
  assert_false(st_clear_abandoned(link));
  assert_true(st_clear_abandoned(path));
  assert_true(st_clear_abandoned(path)); /* there is none */
  assert_int_equal(access(path, F_OK), -1);
  write_text(path_in(h->directory, "file"), "");
  assert_int_equal(st_hold_new(path_in(h->directory, "file/x"), &second, problem), STELE_IO);
}

/* /dev/full takes nothing. */
static void test_full(void **state) {
  (void)state;
  char problem[ST_PROBLEM_MAX];
  int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
  assert_true(fd >= 0);
  assert_false(st_write_all(fd, "text", 4));
  assert_int_equal(st_file_failed("/dev/full", problem), STELE_FULL);
  errno = EDQUOT;
  assert_int_equal(st_file_failed("/dev/full", problem), STELE_FULL);
  close(fd);
}

int main(void) {
  const struct CMUnitTest tests[] = {home_test(test_long_paths), home_test(test_swap), home_test(test_held), cmocka_unit_test(test_full)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
