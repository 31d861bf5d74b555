/* swap.c - see swap.h. */
#include "engine/swap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/open_elsewhere.h"
#include "engine/sqlite_driver.h"

static bool joined(char out[ST_PATH_MAX], const char *path, const char *suffix) {
  return snprintf(out, ST_PATH_MAX, "%s%s", path, suffix) < ST_PATH_MAX;
}

/* What the log holds goes into the file, if the file is well: then there is one file to put aside, which takes no time.  A
** damaged file is not touched. */
static stele_status settle_log(const char *store, char problem[ST_PROBLEM_MAX]) {
  char log[ST_PATH_MAX], why[400];
  struct stat about;
  sqlite3 *db = NULL;
  if (!joined(log, store, "-wal") || stat(log, &about) != 0 || about.st_size == 0) return STELE_OK;
  int code = sqlite3_open_v2(store, &db, SQLITE_OPEN_READWRITE, NULL);
  if (code == SQLITE_OK) sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  if (code == SQLITE_OK) code = sqlite3_exec(db, "PRAGMA locking_mode = EXCLUSIVE; SELECT 1 FROM sqlite_master LIMIT 1", NULL, NULL, NULL);
  if (code == SQLITE_OK && st_sqlite_whole(db, why) == STELE_OK) sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  sqlite3_close(db);
  if ((code & 0xff) != SQLITE_BUSY) return STELE_OK;
  snprintf(problem, ST_PROBLEM_MAX, "%.300s is in use", store);
  return STELE_BUSY;
}

static const char *const parts[] = {"", "-wal", "-journal"};
#define PARTS (sizeof parts / sizeof *parts)

/* Every part gets a second name, before any loses its first.  If one cannot, those that were given go again. */
static stele_status name_aside(const char *store, const char *aside, char problem[ST_PROBLEM_MAX]) {
  char from[ST_PATH_MAX], to[ST_PATH_MAX];
  bool named[PARTS] = {false};
  stele_status status = STELE_OK;
  for (size_t i = 0; i < PARTS && status == STELE_OK; i++) {
    bool fits = joined(from, store, parts[i]) && joined(to, aside, parts[i]);
    if (!fits) errno = ENAMETOOLONG;
    named[i] = fits && link(from, to) == 0;
    if (!named[i] && !(fits && errno == ENOENT && i > 0)) status = st_file_failed(fits ? to : store, problem);
  }
  if (status == STELE_OK) status = st_keep_name(aside, problem);
  for (size_t i = 0; i < PARTS && status != STELE_OK; i++)
    if (named[i] && joined(to, aside, parts[i])) unlink(to);
  return status;
}

/* A log beside another file would be read into it: it goes first. */
static stele_status take_place(const char *file, const char *store, char problem[ST_PROBLEM_MAX]) {
  st_clear_away(store, true);
  if (rename(file, store) != 0) return st_file_failed(store, problem);
  return st_keep_name(store, problem);
}

static stele_status replace_store(const char *file, const char *store, char aside[ST_PATH_MAX], char problem[ST_PROBLEM_MAX]) {
  char stem[ST_PATH_MAX];
  int seized = -1;
  long other = st_open_elsewhere(store);
  if (other) snprintf(problem, ST_PROBLEM_MAX, "%.300s is open in process %ld", store, other);
  if (other) return STELE_BUSY;
  if (!joined(stem, store, ".replaced-") || !st_copy_path(stem, "", aside)) return errno = ENAMETOOLONG, st_file_failed(store, problem);
  stele_status status = st_sqlite_seize(store, &seized, problem); /* asked first: what follows opens the file */
  if (seized >= 0) close(seized);
  if (status == STELE_OK) status = settle_log(store, problem);
  if (status == STELE_OK) status = st_sqlite_seize(store, &seized, problem);
  if (status != STELE_OK) return status;
  status = name_aside(store, aside, problem);
  if (status == STELE_OK) status = take_place(file, store, problem);
  close(seized);
  return status;
}

/* A log whose store is gone would be read into the one that comes: it is put aside. */
static stele_status clear_place(const char *store, char aside[ST_PATH_MAX], char problem[ST_PROBLEM_MAX]) {
  char from[ST_PATH_MAX], to[ST_PATH_MAX], stem[ST_PATH_MAX];
  bool moved = false;
  if (!joined(stem, store, ".replaced-") || !st_copy_path(stem, "", aside)) return errno = ENAMETOOLONG, st_file_failed(store, problem);
  for (size_t i = 1; i < PARTS; i++) {
    if (!joined(from, store, parts[i]) || !joined(to, aside, parts[i])) return errno = ENAMETOOLONG, st_file_failed(store, problem);
    if (rename(from, to) == 0) moved = true;
    else if (errno != ENOENT) return st_file_failed(to, problem);
  }
  if (!moved) aside[0] = '\0';
  return STELE_OK;
}

stele_status st_swap_in(const char *file, const char *store, bool replace, char aside[ST_PATH_MAX], char problem[ST_PROBLEM_MAX]) {
  aside[0] = '\0';
  stele_status status = access(store, F_OK) == 0 ? STELE_OK : clear_place(store, aside, problem);
  if (status != STELE_OK) return status;
  if (link(file, store) == 0) { /* unlike rename(), it replaces nothing */
    unlink(file);
    return st_keep_name(store, problem);
  }
  if (errno != EEXIST) return st_file_failed(store, problem);
  if (replace) {
    status = replace_store(file, store, aside, problem);
    if (status != STELE_OK && access(aside, F_OK) != 0) aside[0] = '\0';
    return status;
  }
  snprintf(problem, ST_PROBLEM_MAX, "%.300s is there already", store);
  return STELE_CONFLICT;
}
