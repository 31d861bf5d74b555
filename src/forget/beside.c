/* beside.c - files of the home that are no store's: backups, and files of lines.  See parts.h.
**
** Lines of the audit, of logs and of events that wait are blanked where they stand, letter for letter, because who appends to such a
** file may have it open.  A backup is somebody's last resort: by itself it is only told. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/json.h"
#include "engine/handle.h"
#include "forget/parts.h"
#include "registry_ids.h"

static bool ends_in(const char *name, const char *end) {
  size_t length = strlen(name), tail = strlen(end);
  return length > tail && strcmp(name + length - tail, end) == 0;
}

/* ---- Files of lines ---- */

static void erase_lines(st_forget *all, const char *path) {
  int64_t bytes, found, blanked;
  st_call *call = all->call;
  int problem = st_needles_search(&all->needles, path, &bytes, &found);
  if (!problem && found > 0 && !all->dry && !all->partial) {
    problem = st_needles_blank(&all->needles, path, '#', &blanked);
    if (!problem) problem = st_needles_search(&all->needles, path, &bytes, &blanked);
    if (!problem && blanked > 0) st_fail(call, STELE_CORRUPT, NULL, "%s still holds what was to be forgotten: call again", path);
  }
  if (problem == ENOENT) return;
  if (problem) st_fail(call, problem == ENOMEM ? STELE_NOMEM : STELE_IO, NULL, "%s: %s", path, strerror(problem));
  const char *note = found == 0 ? NULL : all->partial ? "lines that may tell of it stay: forget by text to blank them" : "# stands in its place";
  st_value *row = st_forget_tell(all, NULL, "erase", path, all->dry ? NULL : note);
  if (!row) return;
  row[ST_R_STELE_FORGET_ROWS] = st_int(found);
  row[ST_R_STELE_FORGET_BYTES] = st_int(bytes);
}

/* ---- Backups ---- */

/* The store that a copy is of, by its name; NULL: none. */
static const char *store_of(const char *path) {
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  for (uint16_t i = 0; i < st_registry.nstores; i++) {
    size_t length = strlen(st_registry.stores[i].name);
    if (strncmp(name, st_registry.stores[i].name, length) == 0 && strchr("-.", name[length])) return st_registry.stores[i].name;
  }
  return NULL;
}

static char *arguments(st_call *call, const char *store) {
  st_str out;
  const char *text = st_arg_text(call, ST_P_STELE_FORGET_TEXT);
  st_str_init(&out, 1u << 24);
  st_str_addf(&out, "{\"dry_run\":false,\"stores\":[\"%s\"],\"text\":", store);
  st_json_add_string(&out, text, strlen(text));
  st_str_addc(&out, '}');
  return st_str_take(&out);
}

/* A backup is a store, too: what is forgotten there goes as it goes here. */
static bool rewrite(st_forget *all, const char *path, const char *store, char why[200]) {
  stele_db *db = NULL;
  stele_place place = {.store = store, .location = path};
  char *text = arguments(all->call, store), lock[4200];
  stele_options options = {.size = sizeof options, .home = ":memory:", .places = &place, .nplaces = 1};
  stele_status status = text ? stele_open(&options, &db) : STELE_NOMEM;
  if (status == STELE_OK) status = stele_call(db, "stele.forget", text, NULL);
  snprintf(why, 200, "%s", status == STELE_OK ? "" : db ? stele_error(db)->message : "out of memory");
  stele_close(db);
  st_free(text);
  size_t length = strlen(path);
  snprintf(lock, sizeof lock, "%.*s.lock", (int)(ends_in(path, ".db") ? length - 3 : length), path);
  unlink(lock); /* the copy is nobody's store: no one waits for a turn there */
  return status == STELE_OK;
}

static const char *settle(st_forget *all, const char *path) {
  const char *wanted = st_arg_text(all->call, ST_P_STELE_FORGET_BACKUPS), *store = store_of(path);
  char why[200] = "it is of no store that is known";
  if (all->partial && strcmp(wanted, "keep") != 0) return "it stays: what to take out of it is told by text alone";
  if (strcmp(wanted, "delete") == 0) {
    if (all->dry) return "would be deleted";
    return unlink(path) == 0 ? "deleted" : "it could not be deleted: delete it";
  }
  if (strcmp(wanted, "rewrite") != 0) return "it still holds it: call with backups rewrite or delete, or delete the file";
  if (all->dry) return "would be written anew without it";
  if (store && rewrite(all, path, store, why)) return "written anew without it";
  char note[300];
  int length = snprintf(note, sizeof note, "it still holds it, and cannot be written anew: %s", why);
  return st_call_copy(all->call, note, (size_t)length < sizeof note ? (size_t)length : sizeof note - 1);
}

static void see_to_backup(st_forget *all, const char *path) {
  int64_t bytes, found, left = 0;
  int problem = st_needles_search(&all->needles, path, &bytes, &found);
  if (problem == ENOENT) return;
  if (problem) st_fail(all->call, problem == ENOMEM ? STELE_NOMEM : STELE_IO, NULL, "%s: %s", path, strerror(problem));
  const char *note = found && st_ok(all->call) ? settle(all, path) : NULL;
  if (found && !all->dry && access(path, F_OK) == 0) st_needles_search(&all->needles, path, &bytes, &left);
  st_value *row = st_forget_tell(all, store_of(path), "backup", path, note);
  if (!row) return;
  row[ST_R_STELE_FORGET_ROWS] = st_int(found);
  row[ST_R_STELE_FORGET_BYTES] = st_int(bytes);
  row[ST_R_STELE_FORGET_FOUND] = st_int(all->dry ? found : left);
}

/* ---- The home ---- */

static void see_to(st_forget *all, const char *directory, bool (*wanted)(const char *name), void (*each)(st_forget *all, const char *path)) {
  DIR *dir = opendir(directory);
  for (const struct dirent *entry; dir && st_ok(all->call) && (entry = readdir(dir));) {
    char path[4200];
    struct stat found;
    int length = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    if (!wanted(entry->d_name) || length >= (int)sizeof path || lstat(path, &found) != 0 || !S_ISREG(found.st_mode)) continue;
    const char *kept = st_call_copy(all->call, path, (size_t)length);
    if (kept) each(all, kept);
  }
  if (dir) closedir(dir);
}

static bool is_lines(const char *name) { return ends_in(name, ".jsonl") || ends_in(name, ".log") || ends_in(name, ".txt"); }
static bool is_copy(const char *name) { return ends_in(name, ".db") || ends_in(name, ".backup"); }
static bool is_copy_beside(const char *name) { return ends_in(name, ".backup"); }

void st_forget_beside(st_forget *all) {
  static const char *const lines[] = {"audit", "logs", "fallback"};
  const char *home = all->call->db->home;
  char path[4200];
  if (!home || strcmp(home, ":memory:") == 0 || all->needles.count == 0) return;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    snprintf(path, sizeof path, "%s/%s", home, lines[i]);
    see_to(all, path, is_lines, erase_lines);
  }
  snprintf(path, sizeof path, "%s/backups", home);
  see_to(all, path, is_copy, see_to_backup);
  see_to(all, home, is_copy_beside, see_to_backup);
}
