/* home.h - what tests of whole handles share: a temporary home, calls that must go well, SQL behind
** Stele's back, child processes.
**
** A child must not use the assertions of cmocka: it answers an exit status, 0 if all was well. */
#ifndef ST_TEST_HOME_H
#define ST_TEST_HOME_H

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "stele.h"

#define PATH_SIZE 512

typedef struct home {
  char directory[PATH_SIZE]; /* of this test, removed at its end */
  char path[PATH_SIZE];      /* of the home: a directory in it, not made yet */
} home;

/* ---- Directories ---------------------------------------------------------------------------- */

static inline int home_set_up(void **state) {
  const char *where = getenv("TMPDIR");
  home *h = calloc(1, sizeof *h);
  snprintf(h->directory, sizeof h->directory, "%s/stele-unit-XXXXXX", where ? where : "/tmp");
  if (!mkdtemp(h->directory)) return -1;
  snprintf(h->path, sizeof h->path, "%.400s/home", h->directory);
  *state = h;
  return 0;
}

static inline int home_remove_one(const char *path, const struct stat *info, int type, struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

static inline int home_tear_down(void **state) {
  home *h = *state;
  int rc = nftw(h->directory, home_remove_one, 16, FTW_DEPTH | FTW_PHYS);
  free(h);
  return rc;
}

#define home_test(function) cmocka_unit_test_setup_teardown(function, home_set_up, home_tear_down)

/* DIRECTORY/NAME; lives until the fourth call from now. */
static inline const char *path_in(const char *directory, const char *name) {
  static char paths[4][PATH_SIZE];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, PATH_SIZE, "%.300s/%.200s", directory, name);
  return path;
}

/* The whole of a file, to be freed. */
static inline char *read_bytes(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*length + 1);
  assert_int_equal(fread(bytes, 1, *length, file), *length);
  fclose(file);
  return bytes;
}

static inline void assert_mode(const char *path, unsigned mode) {
  struct stat found;
  if (stat(path, &found) != 0) fail_msg("%s: %s", path, strerror(errno));
  assert_int_equal(found.st_mode & 07777, mode);
}

/* ---- Handles -------------------------------------------------------------------------------- */

static inline stele_options home_options(const home *h) {
  return (stele_options){.size = sizeof(stele_options), .home = h->path};
}

static inline stele_db *must_open(const stele_options *options) {
  stele_db *db = NULL;
  stele_status status = stele_open(options, &db);
  if (status != STELE_OK) fail_msg("open: %s", stele_error(db)->message);
  return db;
}

static inline stele_db *open_home(const home *h) {
  stele_options options = home_options(h);
  return must_open(&options);
}

/* A call that must go well; its reply lives until the next one. */
static inline const char *must_call(stele_db *db, const char *method, const char *args) {
  static char kept[1 << 16];
  char *reply = NULL;
  if (stele_call(db, method, args, &reply) != STELE_OK) fail_msg("%s", stele_error(db)->message);
  snprintf(kept, sizeof kept, "%s", reply);
  stele_free(reply);
  return kept;
}

#define assert_reply(db, method, args, expected) assert_string_equal(must_call(db, method, args), expected)

/* A call that must fail so. */
static inline void must_fail(stele_db *db, const char *method, const char *args, stele_status status) {
  char *reply = NULL;
  stele_status got = stele_call(db, method, args, &reply);
  if (got != status)
    fail_msg("%s %s: %s, not %s: %s", method ? method : "no method", args ? args : "", stele_status_name(got), stele_status_name(status),
             got == STELE_OK ? reply : stele_error(db)->message);
  assert_null(reply);
  assert_int_equal(stele_error(db)->status, status);
}

/* ---- SQL behind Stele's back ---------------------------------------------------------------- */

static inline void sql_run(const char *path, const char *sql) {
  sqlite3 *db = NULL;
  char *problem = NULL;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  sqlite3_busy_timeout(db, 20000);
  sqlite3_exec(db, sql, NULL, NULL, &problem);
  if (problem) fail_msg("%s: %s", sql, problem);
  sqlite3_close(db);
}

/* The first value of a query, as text; lives until the next call. */
static inline const char *sql_text(const char *path, const char *sql) {
  static char kept[1000];
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
  sqlite3_busy_timeout(db, 20000);
  if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK || sqlite3_step(stmt) != SQLITE_ROW)
    fail_msg("%s: %s", sql, sqlite3_errmsg(db));
  const char *text = (const char *)sqlite3_column_text(stmt, 0);
  snprintf(kept, sizeof kept, "%s", text ? text : "NULL");
  sqlite3_finalize(stmt);
  sqlite3_close(db);
  return kept;
}

#define assert_sql(path, sql, expected) assert_string_equal(sql_text(path, sql), expected)

/* ---- Child processes ------------------------------------------------------------------------ */

typedef int child_function(void *argument);

#ifdef STELE_COVERAGE
extern void __gcov_dump(void); /* of gcc: what a child reached counts, too, though it ends at once */
#else
#define __gcov_dump() ((void)0)
#endif

static inline _Noreturn void end_child(int status) {
  __gcov_dump();
  _exit(status);
}

static inline pid_t start_child(child_function *function, void *argument) {
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) end_child(function(argument));
  return pid;
}

/* Its exit status; minus the signal that ended it. */
static inline int wait_child(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) fail_msg("waitpid: %s", strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static inline int in_child(child_function *function, void *argument) {
  return wait_child(start_child(function, argument));
}

/* In a child: a step that must give this status.  1 if it does not, told on stderr. */
static inline int differs(stele_db *db, stele_status got, stele_status wanted, const char *what) {
  if (got == wanted) return 0;
  fprintf(stderr, "%s: %s, not %s: %s\n", what, stele_status_name(got), stele_status_name(wanted),
          stele_error(db)->message);
  return 1;
}

#endif
