/* backup.c - stele.backup and stele.list_backups. */
#include "engine/backup.h"

#include <string.h>

#include "engine/backups.h"
#include "engine/handle.h"
#include "engine/reply.h"
#include "engine/system.h"
#include "registry_ids.h"

#define TOLD_BYTES (2 * ST_PATH_MAX) /* of one copy: a path, and some numbers */

static void back_up(st_call *call, int index, const char *directory) {
  st_watch watch = {call->db->progress, call->db->user};
  st_opened *opened;
  if (!st_handle_store(call->db, index, call->error, &opened)) return;
  /* All that is told needs its memory first: a copy that cannot be told must not be made. */
  st_value *row = st_reply(call);
  char *path = row ? st_call_alloc(call, ST_PATH_MAX) : NULL;
  st_manifest *about = path ? st_call_alloc(call, sizeof *about) : NULL;
  if (!about || !st_reply_room(call, (size_t)(index + 1) * TOLD_BYTES)) return;
  about->contents = (st_contents){NULL, 0};
  stele_status status = st_backup_store(opened, directory, &watch, about, path);
  if (status != STELE_OK) st_fail(call, status, NULL, "%s: %s", opened->store->name, opened->conn->problem);
  if (status == STELE_OK) {
    row[ST_R_STELE_BACKUP_STORE] = st_textz(opened->store->name);
    row[ST_R_STELE_BACKUP_PATH] = st_textz(path);
    row[ST_R_STELE_BACKUP_BYTES] = st_int(about->bytes);
    row[ST_R_STELE_BACKUP_VERSION] = st_int(about->version);
    row[ST_R_STELE_BACKUP_TABLES] = st_int((int64_t)about->contents.count);
    row[ST_R_STELE_BACKUP_ROWS] = st_int(st_contents_rows(&about->contents));
    row[ST_R_STELE_BACKUP_SHA256] = st_textz(about->sha256);
  }
  st_contents_free(&about->contents);
}

void st_stele_backup(st_call *call) {
  int wanted = st_wanted_store(call, ST_P_STELE_BACKUP_STORE);
  const char *directory = st_ok(call) ? st_backups_directory(call, ST_P_STELE_BACKUP_TO) : NULL;
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++)
    if ((wanted < 0 || wanted == i) && st_store_exists(call, &call->db->stores[i])) back_up(call, i, directory);
}

/* ---- Which there are ---- */

static void look_closer(st_call *call, st_backup *backup) {
  st_watch watch = {call->db->progress, call->db->user};
  char problem[ST_PROBLEM_MAX];
  stele_status status = st_backup_unchanged(backup, &watch, problem);
  if (status == STELE_CORRUPT || status == STELE_IO) backup->state = ST_BACKUP_CHANGED;
  else if (status != STELE_OK) st_fail(call, status, NULL, "%s", problem);
}

static void tell(st_call *call, const st_backup *backup) {
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_STELE_LIST_BACKUPS_STORE] = st_textz(st_registry.stores[backup->store].name);
  row[ST_R_STELE_LIST_BACKUPS_MADE_AT] = st_real((double)backup->made / 1e6);
  row[ST_R_STELE_LIST_BACKUPS_PATH] = st_textz(backup->path);
  row[ST_R_STELE_LIST_BACKUPS_BYTES] = st_int(backup->bytes);
  row[ST_R_STELE_LIST_BACKUPS_STATE] = st_textz(st_backup_state_name(backup->state));
  if (!backup->sha256) return;
  row[ST_R_STELE_LIST_BACKUPS_VERSION] = st_int(backup->version);
  row[ST_R_STELE_LIST_BACKUPS_ROWS] = st_int(backup->rows);
}

void st_stele_list_backups(st_call *call) {
  int wanted = st_wanted_store(call, ST_P_STELE_LIST_BACKUPS_STORE);
  const char *directory = st_ok(call) ? st_backups_directory(call, ST_P_STELE_LIST_BACKUPS_SOURCE) : NULL;
  bool timed = st_has(call, ST_P_STELE_LIST_BACKUPS_UNTIL);
  st_backups found = {NULL, 0};
  if (directory)
    st_backups_find(call, directory, wanted, timed ? (st_micros)(st_arg_real(call, ST_P_STELE_LIST_BACKUPS_UNTIL) * 1e6) : INT64_MAX, &found);
  for (size_t i = 0; i < found.count && st_ok(call); i++) {
    if (st_arg_int(call, ST_P_STELE_LIST_BACKUPS_FULL) && found.all[i].state == ST_BACKUP_VERIFIED) look_closer(call, &found.all[i]);
    tell(call, &found.all[i]);
  }
}
