/* prune_backups.c - stele.prune_backups: old backups go, by the hour, day and week they were made in. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/backups.h"
#include "engine/handle.h"
#include "engine/system.h"
#include "registry_ids.h"

#define MICROS INT64_C(1000000)

/* Of so many periods that have a backup, the newest of each is kept. */
typedef struct period {
  const char *name;
  int64_t seconds;
  int64_t offset; /* weeks begin on Monday; 1970 began on a Thursday */
  int64_t left;
  int64_t last; /* the one of the backup before */
} period;

static bool keeps(period *p, st_micros made) {
  int64_t number = (made / MICROS + p->offset) / p->seconds;
  if (!p->left || number == p->last) return false;
  p->last = number;
  p->left--;
  return true;
}

static void tell(st_call *call, const st_backup *backup, const char *kept) {
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_STELE_PRUNE_BACKUPS_STORE] = st_textz(st_registry.stores[backup->store].name);
  row[ST_R_STELE_PRUNE_BACKUPS_MADE_AT] = st_real((double)backup->made / 1e6);
  row[ST_R_STELE_PRUNE_BACKUPS_PATH] = st_textz(backup->path);
  row[ST_R_STELE_PRUNE_BACKUPS_BYTES] = st_int(backup->bytes);
  row[ST_R_STELE_PRUNE_BACKUPS_KEPT] = st_textz(kept);
}

/* The backup first: what is left of one that was killed then is cleared away by the next. */
static void delete(st_call *call, const st_backup *backup) {
  char manifest[4096], problem[ST_PROBLEM_MAX];
  if (st_arg_int(call, ST_P_STELE_PRUNE_BACKUPS_DRY_RUN)) return;
  if (unlink(backup->path) != 0) st_fail(call, st_file_failed(backup->path, problem), NULL, "%s", problem);
  else if (st_manifest_path(backup->path, manifest)) unlink(manifest);
}

/* Nothing goes before the newest was read, and is what it was when it was compared with the store. */
static bool is_safe(st_call *call, const st_backup *newest) {
  st_watch watch = {call->db->progress, call->db->user};
  char problem[ST_PROBLEM_MAX];
  stele_status status = st_backup_unchanged(newest, &watch, problem);
  if (status != STELE_OK) st_fail(call, status, NULL, "nothing is deleted: %s", problem);
  return status == STELE_OK;
}

/* Those of one store, the newest first. */
static void prune(st_call *call, const st_backup *all, size_t count) {
  period periods[] = {{"hourly", 3600, 0, st_arg_int(call, ST_P_STELE_PRUNE_BACKUPS_HOURLY), INT64_MIN},
                      {"daily", 86400, 0, st_arg_int(call, ST_P_STELE_PRUNE_BACKUPS_DAILY), INT64_MIN},
                      {"weekly", 7 * 86400, 3 * 86400, st_arg_int(call, ST_P_STELE_PRUNE_BACKUPS_WEEKLY), INT64_MIN}};
  bool newest = true, safe = false;
  for (size_t i = 0; i < count && st_ok(call); i++) {
    const char *kept = all[i].state != ST_BACKUP_VERIFIED ? st_backup_state_name(all[i].state) : newest ? "newest" : NULL;
    for (size_t p = 0; all[i].state == ST_BACKUP_VERIFIED && p < sizeof periods / sizeof *periods; p++)
      if (keeps(&periods[p], all[i].made) && !kept) kept = periods[p].name;
    if (newest && all[i].state == ST_BACKUP_VERIFIED) {
      safe = is_safe(call, &all[i]);
      newest = false;
    }
    if (!kept && safe) delete(call, &all[i]);
    if (st_ok(call)) tell(call, &all[i], kept);
  }
}

void st_stele_prune_backups(st_call *call) {
  int wanted = st_wanted_store(call, ST_P_STELE_PRUNE_BACKUPS_STORE);
  const char *directory = st_ok(call) ? st_backups_directory(call, ST_P_STELE_PRUNE_BACKUPS_SOURCE) : NULL;
  st_backups found = {NULL, 0};
  if (directory) st_backups_find(call, directory, wanted, INT64_MAX, &found);
  for (size_t from = 0, to; from < found.count && st_ok(call); from = to) {
    for (to = from; to < found.count && found.all[to].store == found.all[from].store;) to++;
    prune(call, found.all + from, to - from);
  }
}
