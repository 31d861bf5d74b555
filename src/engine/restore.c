/* restore.c - stele.restore: backups become stores again.
**
** All are copied beside their places and verified first; only then does any take its place. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/backups.h"
#include "engine/handle.h"
#include "engine/sqlite_driver.h"
#include "engine/state.h"
#include "engine/swap.h"
#include "engine/system.h"
#include "registry_ids.h"

/* One backup on its way. */
typedef struct restoring {
  const st_backup *from;
  st_opened *into;
  st_manifest about; /* what is known of it; contents empty: nothing */
  char beside[ST_PATH_MAX]; /* the copy, while it has not the store's name */
  char aside[ST_PATH_MAX];
  int held;  /* the copy's descriptor, as long as it is being written */
  bool made; /* there is a copy */
  st_value *told;
} restoring;

static void failed(st_call *call, const restoring *r, stele_status status, const char *problem) {
  st_fail(call, status, NULL, "%s: %s", r->into->store->name, problem);
}

/* ---- Copying and verifying ---- */

static void needs_file(st_call *call, const st_opened *into) {
  if (!into->location || st_opened_in_memory(into)) {
    st_fail(call, STELE_INVALID, NULL, "%s has no file: say --home", into->store->name);
  } else if (into->schema) {
    st_fail(call, STELE_UNSUPPORTED, NULL, "%s is on PostgreSQL, and a backup is a file", into->store->name);
    st_hint(call, "what pg_dump wrote is put back by psql or pg_restore; restore files into another --home, and `stele copy` them to the database");
  }
}

static void find_place(st_call *call, restoring *r) {
  const st_opened *into = r->into;
  bool replace = st_arg_int(call, ST_P_STELE_RESTORE_REPLACE) != 0;
  struct stat about;
  needs_file(call, into);
  if (!st_ok(call)) return;
  if (!replace && stat(into->location, &about) == 0) {
    st_fail(call, STELE_CONFLICT, "replace", "%.300s is there already", into->location);
    st_hint(call, "--replace puts it aside and takes its place; --home NEW restores into another home");
  } else if (into->target.in_home && !st_handle_make_home(call->db->home)) {
    st_fail(call, STELE_IO, NULL, "%s cannot be made: %s", call->db->home, strerror(errno));
  } else if (snprintf(r->beside, sizeof r->beside, "%s.restoring", into->location) >= (int)sizeof r->beside) {
    st_fail(call, STELE_INVALID, NULL, "the path of %s is too long", into->store->name);
  }
}

static stele_status read_manifest(restoring *r, char problem[ST_PROBLEM_MAX]) {
  stele_status status = st_manifest_read(r->from->path, &r->about, problem);
  if (status == STELE_NOTFOUND) return STELE_OK;
  if (status != STELE_OK || strcmp(r->about.store, r->into->store->name) == 0) return status;
  snprintf(problem, ST_PROBLEM_MAX, "%.300s is a backup of %s", r->from->path, r->about.store);
  return STELE_FORMAT;
}

/* The bytes are what the manifest says they were. */
static stele_status copy_bytes(restoring *r, const st_watch *watch, char problem[ST_PROBLEM_MAX]) {
  char found[ST_SHA256_TEXT], log[ST_PATH_MAX];
  struct stat about;
  int64_t bytes;
  if (snprintf(log, sizeof log, "%s-wal", r->from->path) < (int)sizeof log && stat(log, &about) == 0 && about.st_size > 0) {
    snprintf(problem, ST_PROBLEM_MAX, "%.300s has a log beside it: it is a store in use, and no backup", r->from->path);
    return STELE_INVALID;
  }
  stele_status status = st_file_sha256(r->from->path, r->held, watch, found, &bytes, problem);
  if (status == STELE_OK && r->about.sha256[0] && strcmp(found, r->about.sha256) != 0) {
    snprintf(problem, ST_PROBLEM_MAX, "%.300s is damaged: it is not what it was when it was made", r->from->path);
    status = STELE_CORRUPT;
  }
  if (status == STELE_OK && fsync(r->held) != 0) status = st_file_failed(r->beside, problem);
  return status;
}

/* It is this store's, and of a version that is known. */
static stele_status judge(const restoring *r, char problem[ST_PROBLEM_MAX]) {
  st_opened copy = st_opened_apart(r->into, true);
  st_state state;
  copy.target.location = copy.location = (char *)r->beside;
  st_state_look(&copy, &state);
  st_clear_away(r->beside, true);
  if (state.status != STELE_OK || state.look.fresh || state.look.foreign[0]) {
    snprintf(problem, ST_PROBLEM_MAX, "%.200s is no %s store: %.100s", r->from->path, r->into->store->name,
             state.problem[0] ? state.problem : "it is empty");
    return state.status == STELE_OK ? STELE_FORMAT : state.status;
  }
  if (state.look.version <= r->into->store->accepts) return STELE_OK;
  snprintf(problem, ST_PROBLEM_MAX, "%.200s is of version %d; this Stele knows up to %d", r->from->path, state.look.version,
           r->into->store->accepts);
  return STELE_FORMAT;
}

static void prepare(st_call *call, restoring *r) {
  st_watch watch = {call->db->progress, call->db->user};
  char problem[ST_PROBLEM_MAX] = "";
  find_place(call, r);
  if (!st_ok(call)) return;
  st_clear_abandoned(r->beside);
  stele_status status = st_hold_new(r->beside, &r->held, problem);
  r->made = status == STELE_OK;
  if (status == STELE_OK) status = read_manifest(r, problem);
  if (status == STELE_OK) status = copy_bytes(r, &watch, problem);
  if (status == STELE_OK) status = st_sqlite_verify(r->beside, r->about.sha256[0] ? &r->about.contents : NULL, &watch, problem);
  if (status == STELE_OK) status = judge(r, problem);
  if (status != STELE_OK) failed(call, r, status, problem);
}

/* Before anything takes its place: what cannot be told must not be done. */
static void tell(st_call *call, restoring *r) {
  st_value *row = r->told = st_reply(call);
  if (!row) return;
  row[ST_R_STELE_RESTORE_STORE] = st_textz(r->into->store->name);
  row[ST_R_STELE_RESTORE_BACKUP] = st_textz(r->from->path);
  if (r->from->made) row[ST_R_STELE_RESTORE_MADE_AT] = st_real((double)r->from->made / 1e6);
  row[ST_R_STELE_RESTORE_LOCATION] = st_textz(r->into->location);
  row[ST_R_STELE_RESTORE_BYTES] = st_int(r->from->bytes);
  if (r->about.sha256[0]) row[ST_R_STELE_RESTORE_ROWS] = st_int(st_contents_rows(&r->about.contents));
}

/* ---- Taking its place ---- */

/* Before it is the store: closing a file of a store would take away the locks of those who opened it meanwhile. */
static void release(restoring *r) {
  if (r->held >= 0) close(r->held);
  r->held = -1;
}

static void take_place(st_call *call, restoring *r) {
  char problem[ST_PROBLEM_MAX] = "";
  st_handle_let_go(call, r->into);
  if (!st_ok(call)) return;
  release(r);
  bool replace = st_arg_int(call, ST_P_STELE_RESTORE_REPLACE) != 0;
  stele_status status = st_swap_in(r->beside, r->into->location, replace, r->aside, problem);
  if (r->aside[0]) r->told[ST_R_STELE_RESTORE_REPLACED] = st_textz(r->aside);
  if (status == STELE_OK && r->aside[0]) st_note(call, "%s was put aside as %s", r->into->location, r->aside);
  if (status == STELE_OK) return;
  failed(call, r, status, problem);
  if (status == STELE_BUSY) st_hint(call, "stop what uses it first: `systemctl --user stop stele`; `fuser -v FILE` lists who has it open");
}

static void end(restoring *r) {
  if (r->made) st_clear_away(r->beside, false); /* once it has the store's name, there is nothing of this one */
  release(r);
  st_contents_free(&r->about.contents);
}

/* ---- Which ---- */

/* The newest of each store. */
static size_t choose(st_call *call, const st_backups *found, restoring *out) {
  size_t count = 0;
  for (size_t i = 0; i < found->count; i++) {
    if (i && found->all[i].store == found->all[i - 1].store) continue;
    out[count++] = (restoring){.from = &found->all[i], .into = &call->db->stores[found->all[i].store], .held = -1};
  }
  return count;
}

static void find(st_call *call, st_backups *found) {
  struct stat about;
  int wanted = st_wanted_store(call, ST_P_STELE_RESTORE_STORE);
  if (wanted >= 0) needs_file(call, &call->db->stores[wanted]);
  const char *from = st_ok(call) ? st_backups_directory(call, ST_P_STELE_RESTORE_SOURCE) : NULL;
  bool timed = st_has(call, ST_P_STELE_RESTORE_UNTIL);
  st_micros until = timed ? (st_micros)(st_arg_real(call, ST_P_STELE_RESTORE_UNTIL) * 1e6) : INT64_MAX;
  *found = (st_backups){NULL, 0};
  if (!from) return;
  if (stat(from, &about) == 0 && S_ISREG(about.st_mode)) st_backups_one(call, from, wanted, found);
  else st_backups_find(call, from, wanted, until, found);
  if (!st_ok(call) || found->count) return;
  st_fail(call, STELE_NOTFOUND, "source", "there is no backup%s%s in %.300s", wanted < 0 ? "" : " of ",
          wanted < 0 ? "" : st_registry.stores[wanted].name, from);
  st_hint(call, "`stele backup --list --from DIRECTORY` tells what there is");
}

void st_stele_restore(st_call *call) {
  st_backups found;
  size_t count = 0;
  find(call, &found);
  restoring *all = st_ok(call) ? st_call_alloc(call, found.count * sizeof *all) : NULL;
  if (all) count = choose(call, &found, all);
  for (size_t i = 0; i < count && st_ok(call); i++) prepare(call, &all[i]);
  for (size_t i = 0; i < count && st_ok(call); i++) tell(call, &all[i]);
  for (size_t i = 0; i < count && st_ok(call) && !st_arg_int(call, ST_P_STELE_RESTORE_DRY_RUN); i++) take_place(call, &all[i]);
  for (size_t i = 0; i < count; i++) end(&all[i]);
}
