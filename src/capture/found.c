/* found.c - a file that was found: whose it is, what is known of it, and whether it is to be read. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "capture/import.h"
#include "capture/readers.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "registry_ids.h"

#define HEAD 4096 /* bytes by which a file is known */

/* ---- Whose a file is ------------------------------------------------------------------------ */

static const st_reader *reader_named(const char *harness) {
  for (const st_reader *const *at = st_readers; *at; at++)
    if (strcmp((*at)->harness, harness) == 0) return *at;
  return NULL;
}

static const st_reader *reader_of_database(const char *path) {
  sqlite3 *db = NULL;
  const st_reader *reader = NULL;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK) {
    sqlite3_busy_timeout(db, 1000);
    reader = st_reader_of_database(db);
  }
  sqlite3_close(db);
  return reader;
}

/* NULL: it is no transcript, or not of the harness asked for. */
static const st_reader *recognize(const st_import *im, const char *path) {
  static const char database[] = "SQLite format 3";
  char head[HEAD];
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  ssize_t length = fd < 0 ? -1 : read(fd, head, sizeof head);
  const st_reader *reader = NULL;
  if (fd >= 0) close(fd);
  if (length <= 0) return NULL;
  if ((size_t)length >= sizeof database && memcmp(head, database, sizeof database) == 0)
    reader = reader_of_database(path);
  else if (!im->reader)
    reader = st_reader_of_file(path, head, (size_t)length);
  else if (im->reader->claims && im->reader->claims(path, head, (size_t)length))
    reader = im->reader;
  if (im->reader && reader != im->reader) return NULL;
  return reader && st_import_wants(im, reader) ? reader : NULL;
}

/* ---- Files that are found ------------------------------------------------------------------- */

enum { KNOWN = ST_R_CONVERSATION_FIND_TRANSCRIPT_STATE + 1 };

static int64_t nanoseconds(const struct stat *found) {
  return (int64_t)found->st_mtim.tv_sec * 1000000000 + found->st_mtim.tv_nsec;
}

/* What is known of a path, into a job; false: nothing. */
static bool look_up(st_import *im, const char *path, st_job *job, int64_t *size, int64_t *modified) {
  st_rows rows;
  st_value known[KNOWN];
  if (!st_feature_has(im->call, ST_F_CONVERSATION_TRANSCRIPTS)) return false;
  st_rows_start(im->call, &rows, STELE_M_CONVERSATION_FIND_TRANSCRIPT, (const st_value[]){st_textz(path)});
  bool found = st_rows_next(im->call, &rows);
  for (size_t i = 0; found && i < KNOWN; i++) st_rows_value(im->call, &rows, i, &known[i]);
  if (found) {
    job->reader = reader_named(known[ST_R_CONVERSATION_FIND_TRANSCRIPT_HARNESS].bytes);
    job->id = known[ST_R_CONVERSATION_FIND_TRANSCRIPT_ID].integer;
    job->device = known[ST_R_CONVERSATION_FIND_TRANSCRIPT_DEVICE].integer;
    job->inode = known[ST_R_CONVERSATION_FIND_TRANSCRIPT_INODE].integer;
    job->consumed = known[ST_R_CONVERSATION_FIND_TRANSCRIPT_CONSUMED].integer;
    job->records = known[ST_R_CONVERSATION_FIND_TRANSCRIPT_RECORDS].integer;
    job->checked = (uint64_t)known[ST_R_CONVERSATION_FIND_TRANSCRIPT_CHECKED].integer;
    *size = known[ST_R_CONVERSATION_FIND_TRANSCRIPT_SIZE].integer;
    *modified = known[ST_R_CONVERSATION_FIND_TRANSCRIPT_MODIFIED].integer;
    const st_value *state = &known[ST_R_CONVERSATION_FIND_TRANSCRIPT_STATE];
    if (state->type == ST_TEXT) {
      job->state = st_strndup(state->bytes, state->length);
      job->state_length = state->length;
      if (!job->state) st_fail(im->call, STELE_NOMEM, NULL, "out of memory");
    }
  }
  st_rows_end(im->call, &rows);
  if (found && st_ok(im->call)) st_capturing_look(&im->capturing, job, *size, *modified);
  return found && st_ok(im->call);
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* A file of another name that is gone, and was this one: it has been moved, not copied. */
static bool follow_move(st_import *im, const char *path, const struct stat *found) {
  st_value args[] = {st_int((int64_t)found->st_dev), st_int((int64_t)found->st_ino), st_textz(path)};
  st_value id = st_int(0), was;
  st_rows rows;
  if (im->dry_run || !st_feature_has(im->call, ST_F_CONVERSATION_TRANSCRIPTS)) return false;
  st_rows_start(im->call, &rows, STELE_M_CONVERSATION_FIND_MOVED_TRANSCRIPT, args);
  while (id.integer == 0 && st_rows_next(im->call, &rows)) {
    st_rows_value(im->call, &rows, 1, &was);
    if (strcmp(base_name(was.bytes), base_name(path)) != 0 || access(was.bytes, F_OK) == 0) continue;
    st_rows_value(im->call, &rows, 0, &id);
    st_capturing_move(&im->capturing, was.bytes, path);
  }
  st_rows_end(im->call, &rows);
  if (id.integer == 0 || !st_ok(im->call)) return false;
  st_call_begin(im->call, true);
  st_run(im->call, STELE_M_CONVERSATION_MOVE_TRANSCRIPT, (const st_value[]){id, st_textz(path)});
  st_call_end(im->call);
  return st_ok(im->call);
}

static bool add_job(st_import *im, st_job *job) {
  if (im->njobs == im->room) {
    size_t room = im->room ? im->room * 2 : 256;
    st_job **jobs = st_realloc(im->jobs, room * sizeof *jobs);
    if (!jobs) return false;
    im->jobs = jobs;
    im->room = room;
  }
  im->jobs[im->njobs++] = job;
  return true;
}

/* A database's latest changes are in its log. */
static void add_log(const char *path, int64_t *size, int64_t *modified) {
  char log[PATH_MAX];
  struct stat found;
  if (snprintf(log, sizeof log, "%s-wal", path) >= (int)sizeof log || stat(log, &found) != 0) return;
  *size += found.st_size;
  if (nanoseconds(&found) > *modified) *modified = nanoseconds(&found);
}

/* Fill in a job for a file that may have to be read; false: it need not, or cannot. */
static bool consider(st_import *im, st_job *job, const struct stat *found) {
  int64_t size = -1, modified = 0;
  bool known = look_up(im, job->path, job, &size, &modified) ||
               (follow_move(im, job->path, found) && look_up(im, job->path, job, &size, &modified));
  if (!st_ok(im->call)) return false;
  if (!known || !job->reader || !st_import_wants(im, job->reader)) job->reader = recognize(im, job->path);
  if (!job->reader) return false;
  job->size = found->st_size;
  job->modified = nanoseconds(found);
  if (!job->reader->record) add_log(job->path, &job->size, &job->modified);
  im->files++;
  bool same = known && !im->again && size == job->size && modified == job->modified &&
              job->device == (int64_t)found->st_dev && job->inode == (int64_t)found->st_ino &&
              (job->captured || !im->capturing.on || !job->reader->segments);
  if (same) im->unchanged++;
  return !same;
}

static bool is_at(const st_opened *store, const struct stat *found) {
  struct stat own;
  return store->driver && store->driver->engine == ST_SQLITE && store->location && stat(store->location, &own) == 0 &&
         own.st_ino == found->st_ino && own.st_dev == found->st_dev;
}

/* The store itself is no transcript, though it may look like that of another program; nor are the others of its home. */
static bool is_own_store(const st_import *im, const struct stat *found) {
  const st_opened *stores = im->call->db->stores;
  bool own = is_at(im->call->store, found);
  for (uint16_t i = 0; !own && i < st_registry.nstores; i++) own = stores[i].target.in_home && is_at(&stores[i], found);
  return own;
}

bool st_import_file(void *user, const char *path, size_t root, const struct stat *found) {
  st_import *im = user;
  st_capturing_open(&im->capturing);
  if (is_own_store(im, found)) return true;
  if (im->since > 0 && (double)nanoseconds(found) / 1e9 < im->since) {
    im->ignored++;
    return true;
  }
  st_job *job = st_alloc_zero(sizeof *job);
  if (job) job->path = st_strdup(path);
  bool kept = job && job->path && consider(im, job, found);
  if (kept) {
    job->under = path[root] == '/' ? root + 1 : root;
    im->total += job->size > job->consumed && !im->again ? job->size - job->consumed : job->size;
    kept = add_job(im, job);
    if (!kept) st_fail(im->call, STELE_NOMEM, NULL, "out of memory");
  } else if (!job || !job->path) {
    st_fail(im->call, STELE_NOMEM, NULL, "out of memory");
  }
  if (!kept) st_job_free(job);
  return st_ok(im->call);
}

/* Those that were changed first come first, so that a session is there before those that go on from it. */
int st_import_order(const void *one, const void *other) {
  const st_job *a = *(st_job *const *)one, *b = *(st_job *const *)other;
  int order = (a->modified > b->modified) - (a->modified < b->modified);
  return order ? order : strcmp(a->path, b->path);
}
