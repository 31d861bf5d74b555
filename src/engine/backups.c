/* backups.c - see backups.h. */
#include "engine/backups.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/copy_path.h"
#include "engine/handle.h"

const char *st_backup_state_name(st_backup_state state) {
  static const char *const names[] = {
#define ST_X(name, text) [ST_BACKUP_##name] = text,
      ST_BACKUP_STATES(ST_X)
#undef ST_X
  };
  return names[state];
}

/* ---- Names ---- */

#define TIME_LENGTH 20 /* of 2026-11-15T09-46-40Z */

/* What stands between store and suffix. */
static bool read_time(const char *text, size_t length, st_micros *made, int *again) {
  char time[TIME_LENGTH + 1], *end;
  if (length < TIME_LENGTH) return false;
  memcpy(time, text, TIME_LENGTH);
  time[TIME_LENGTH] = '\0';
  time[13] = time[16] = ':';
  *again = 0;
  if (!st_time_parse(time, TIME_LENGTH, made)) return false;
  if (length == TIME_LENGTH) return true;
  long number = text[TIME_LENGTH] == '-' ? strtol(text + TIME_LENGTH + 1, &end, 10) : 0;
  *again = (int)number;
  return number > 0 && number < 1000000 && end == text + length;
}

bool st_backup_name(const char *file, const char *suffix, int *store, st_micros *made, int *again) {
  size_t length = strlen(file), tail = strlen(suffix);
  if (length <= tail || strcmp(file + length - tail, suffix) != 0) return false;
  for (int i = 0; i < st_registry.nstores; i++) {
    size_t name = strlen(st_registry.stores[i].name);
    if (length < name + tail + 2 || strncmp(file, st_registry.stores[i].name, name) != 0 || file[name] != '-') continue;
    *store = i;
    return read_time(file + name + 1, length - tail - name - 1, made, again);
  }
  return false;
}

const char *st_backups_directory(st_call *call, int param) {
  const char *home = call->db->home;
  char path[ST_PATH_MAX];
  if (st_has(call, param)) return st_arg_text(call, param);
  if (!home || strcmp(home, ":memory:") == 0) {
    st_fail(call, STELE_INVALID, call->method->public.params[param].name, "say where: the handle has no home");
    return NULL;
  }
  int length = snprintf(path, sizeof path, "%s/backups", home);
  return st_call_copy(call, path, (size_t)length);
}

/* ---- What is there ---- */

/* A manifest that cannot be read is one that says something else. */
static void add_manifest(st_call *call, st_backup *backup) {
  st_manifest about;
  char problem[ST_PROBLEM_MAX];
  stele_status status = st_manifest_read(backup->path, &about, problem);
  backup->state = status == STELE_NOTFOUND ? ST_BACKUP_UNKNOWN : ST_BACKUP_CHANGED;
  if (status == STELE_NOMEM) st_fail(call, status, NULL, "out of memory");
  if (status != STELE_OK) return;
  bool fits = about.bytes == backup->bytes && strcmp(about.store, st_registry.stores[backup->store].name) == 0;
  if (fits) backup->state = ST_BACKUP_VERIFIED;
  backup->version = about.version;
  backup->rows = st_contents_rows(&about.contents);
  backup->tables = about.contents.count;
  backup->sha256 = st_call_copy(call, about.sha256, strlen(about.sha256));
  st_contents_free(&about.contents);
}

static bool has_room(st_call *call, st_backups *out) {
  if (out->count & (out->count - 1)) return true; /* it grows at 0, 1, 2, 4, 8 ... */
  st_backup *more = st_call_alloc(call, (2 * out->count + 1) * sizeof *more);
  if (more && out->count) memcpy(more, out->all, out->count * sizeof *more);
  if (more) out->all = more;
  return more != NULL;
}

static void add_backup(st_call *call, const char *directory, const char *file, st_backup backup, st_backups *out) {
  char path[ST_PATH_MAX];
  struct stat about;
  int length = snprintf(path, sizeof path, "%s/%s", directory, file);
  if (length >= (int)sizeof path || lstat(path, &about) != 0 || !S_ISREG(about.st_mode)) return;
  backup.path = st_call_copy(call, path, (size_t)length);
  backup.bytes = about.st_size;
  if (st_ok(call)) add_manifest(call, &backup);
  if (st_ok(call) && has_room(call, out)) out->all[out->count++] = backup;
}

void st_backups_one(st_call *call, const char *path, int store, st_backups *out) {
  st_manifest about;
  char problem[ST_PROBLEM_MAX], copy[ST_PATH_MAX];
  struct stat found;
  st_backup one = {.store = store, .path = path};
  *out = (st_backups){NULL, 0};
  if (stat(path, &found) != 0) st_fail(call, STELE_NOTFOUND, "source", "%.300s: %s", path, strerror(errno));
  snprintf(copy, sizeof copy, "%s", path);
  if (store < 0) st_backup_name(basename(copy), ".db", &one.store, &one.made, &one.again);
  if (one.store < 0 && st_manifest_read(path, &about, problem) == STELE_OK) {
    for (int i = 0; i < st_registry.nstores; i++)
      if (strcmp(st_registry.stores[i].name, about.store) == 0) one.store = i;
    one.made = about.made;
    st_contents_free(&about.contents);
  }
  if (st_ok(call) && one.store < 0) st_fail(call, STELE_INVALID, "store", "say of which store %.300s is", path);
  one.bytes = found.st_size;
  if (st_ok(call)) add_manifest(call, &one);
  if (st_ok(call) && has_room(call, out)) out->all[out->count++] = one;
}

static int newest_first(const void *one, const void *other) {
  const st_backup *a = one, *b = other;
  if (a->store != b->store) return a->store < b->store ? -1 : 1;
  if (a->made != b->made) return a->made > b->made ? -1 : 1;
  return (a->again < b->again) - (a->again > b->again);
}

void st_backups_find(st_call *call, const char *directory, int store, st_micros until, st_backups *out) {
  *out = (st_backups){NULL, 0};
  DIR *list = st_ok(call) ? opendir(directory) : NULL;
  if (!list && st_ok(call) && errno != ENOENT) st_fail(call, STELE_IO, NULL, "%.300s: %s", directory, strerror(errno));
  for (struct dirent *entry; list && st_ok(call) && (entry = readdir(list)) != NULL;) {
    st_backup found = {.store = -1};
    if (!st_backup_name(entry->d_name, ".db", &found.store, &found.made, &found.again)) continue;
    if ((store < 0 || found.store == store) && found.made < until) add_backup(call, directory, entry->d_name, found, out);
  }
  if (list) closedir(list);
  if (out->count) qsort(out->all, out->count, sizeof *out->all, newest_first);
}

stele_status st_backup_unchanged(const st_backup *backup, const st_watch *watch, char problem[ST_PROBLEM_MAX]) {
  char found[ST_SHA256_TEXT];
  int64_t bytes;
  if (!backup->sha256) {
    snprintf(problem, ST_PROBLEM_MAX, "%.300s has no manifest", backup->path);
    return STELE_CORRUPT;
  }
  stele_status status = st_file_sha256(backup->path, -1, watch, found, &bytes, problem);
  if (status != STELE_OK || strcmp(found, backup->sha256) == 0) return status;
  snprintf(problem, ST_PROBLEM_MAX, "%.300s is not what it was when it was made", backup->path);
  return STELE_CORRUPT;
}

/* ---- What killed backups left ---- */

/* A manifest comes before its backup: alone it belongs to one that was killed then. */
static void clear_manifest(const char *path) {
  char backup[ST_PATH_MAX];
  snprintf(backup, sizeof backup, "%.*s", (int)(strlen(path) - strlen(".json")), path);
  if (access(backup, F_OK) != 0) unlink(path);
}

void st_backups_clear(const char *directory, const char *store) {
  DIR *list = opendir(directory);
  for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
    char path[ST_PATH_MAX], partial[ST_PATH_MAX];
    st_micros made;
    int of, again;
    bool manifest = st_backup_name(entry->d_name, ".db.json", &of, &made, &again);
    if (!manifest && !st_backup_name(entry->d_name, ".db.partial", &of, &made, &again)) continue;
    if (strcmp(st_registry.stores[of].name, store) != 0) continue;
    if (snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) >= (int)sizeof path) continue;
    if (!manifest) st_clear_abandoned(path);
    else if (snprintf(partial, sizeof partial, "%.*s.partial", (int)(strlen(path) - strlen(".json")), path) < (int)sizeof partial &&
             st_clear_abandoned(partial)) /* not one that is just being named */
      clear_manifest(path);
  }
  if (list) closedir(list);
}
