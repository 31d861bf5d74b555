/* proof.c - nothing of it is left: rows, words of the index, bytes of the files.  See parts.h. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "forget/parts.h"
#include "registry_ids.h"
#include "search/index_file.h"
#include "search/index_state.h"

/* ---- Files ---- */

bool st_forget_search(st_forget *all, const char *store, const char *path, int64_t *found) {
  int64_t bytes = 0;
  *found = 0;
  if (!st_ok(all->call)) return false;
  int problem = st_needles_search(&all->needles, path, &bytes, found);
  if (problem == ENOENT) return true;
  if (problem) {
    st_fail(all->call, problem == ENOMEM ? STELE_NOMEM : STELE_IO, NULL, "%s cannot be searched: %s", path, strerror(problem));
    return false;
  }
  st_value *row = st_forget_tell(all, store, "search", path, NULL);
  if (!row) return false;
  row[ST_R_STELE_FORGET_BYTES] = st_int(bytes);
  row[ST_R_STELE_FORGET_FOUND] = st_int(*found);
  return true;
}

/* A piece of a row that is gone may stand in one that is not. */
static bool is_elsewhere(st_call *part, st_needles *needles) {
  for (size_t i = 0; i < needles->count && st_ok(part); i++) {
    if (!needles->all[i].met) continue;
    const char *text = st_call_copy(part, needles->all[i].bytes, needles->all[i].length);
    if (!text || st_forget_left(part, text) == 0) return false;
    needles->all[i].met = false;
  }
  return st_ok(part);
}

static void search_file(st_forget_store *store, const char *path) {
  int64_t found;
  st_call *part = store->part;
  if (!st_ok(part) || access(path, F_OK) != 0) return;
  if (!st_forget_search(store->all, part->store->store->name, path, &found) || found == 0) return;
  if (store->held > 0) {
    store->all->call->last->values[ST_R_STELE_FORGET_NOTE] = st_textz("rows under a legal hold stay: call again when it is released");
    return;
  }
  if (store->all->partial && is_elsewhere(part, &store->all->needles)) {
    store->all->call->last->values[ST_R_STELE_FORGET_FOUND] = st_int(0);
    store->all->call->last->values[ST_R_STELE_FORGET_NOTE] = st_textz("what was found stands in rows that were not to be forgotten");
    return;
  }
  st_fail(part, STELE_CORRUPT, NULL, "%s still holds what was to be forgotten", path);
  st_hint(part, "call again when no other program has the store open; if it is still there, it stands in a table that is not Stele's");
}

static void search_like(st_forget_store *store, const char *format, const char *stem, int length) {
  char pattern[4300];
  glob_t found = {0};
  snprintf(pattern, sizeof pattern, format, length, stem);
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; i++) search_file(store, found.gl_pathv[i]);
  globfree(&found);
}

/* The -shm beside a database holds numbers of pages, and closing it would drop SQLite's locks: it is not read. */
static void search_files(st_forget_store *store) {
  static const char *const own[] = {"%.*s-wal", "%.*s-journal"}, *const others[] = {"%.*s.index.db", "%.*s.index.db-wal", "%.*s.codes.*"};
  const char *location = store->part->store->location;
  int length = (int)strlen(location);
  if (strcmp(location, ":memory:") == 0) return;
  search_file(store, location);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) search_like(store, own[i], location, length);
  if (length > 3 && strcmp(location + length - 3, ".db") == 0) length -= 3;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) search_like(store, others[i], location, length);
}

/* ---- Rows and words ---- */

static void check_rows(st_forget_store *store) {
  st_call *part = store->part;
  int64_t left = 0;
  for (int i = 0; i < store->all->nforms && !store->all->partial && store->held == 0 && st_ok(part); i++) left += st_forget_left(part, store->all->forms[i]);
  if (left > 0) {
    st_fail(part, STELE_CONFLICT, NULL, "%s: %lld rows hold the text again: somebody has written it meanwhile", part->store->store->name, (long long)left);
    st_hint(part, "call again");
  }
}

/* What is written in between is in the rows already, and in the index later: compared again, it is in both. */
static void check_words(st_forget_store *store) {
  enum { TRIES = 3 };
  st_call *part = store->part;
  st_index_state state = {0};
  int64_t words = 0, strange = 1;
  if (part->store->driver->engine != ST_SQLITE) return;
  st_index_look(part, &state);
  if (!st_ok(part) || !state.made || strcmp(state.form, "stele") != 0) return;
  for (int tries = 0; strange > 0 && tries < TRIES && st_ok(part); tries++) st_forget_words(part, &words, &strange);
  if (!st_ok(part)) return;
  char path[4096];
  st_index_path(part->store->location, path);
  st_value *row = st_forget_tell(store->all, part->store->store->name, "words", st_call_copy(part, path, strlen(path)), NULL);
  if (!row) return;
  row[ST_R_STELE_FORGET_ROWS] = st_int(words);
  row[ST_R_STELE_FORGET_FOUND] = st_int(strange);
  if (strange == 0) return;
  st_fail(part, STELE_CORRUPT, NULL, "%s has %lld words that no row has", path, (long long)strange);
  st_hint(part, "`stele reindex` makes it anew; then call again");
}

static bool note_proven(st_call *part, void *user) {
  st_value at = st_real(*(double *)user);
  st_run(part, st_shared(part, ST_T_FORGET_PROVEN), &at);
  return true;
}

void st_forget_prove(st_forget_store *store) {
  st_call *part = store->part;
  double now = (double)st_time_now() / 1e6;
  check_rows(store);
  check_words(store);
  if (st_ok(part) && part->store->driver->engine == ST_SQLITE) search_files(store);
  if (st_ok(part) && store->held == 0) st_call_transaction(part, true, note_proven, &now);
}
