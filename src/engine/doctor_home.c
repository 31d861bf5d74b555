/* doctor_home.c - lines of the checkup about the home: does it exist, who may read it, is there room, does a server use it? */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/doctor.h"
#include "engine/handle.h"
#include "engine/network_fs.h"
#include "engine/server_seen.h"

#define NAMES_MAX 600
#define ROOM_WARN ((int64_t)1000000000)
#define ROOM_FAIL ((int64_t)100000000)

/* ---- Who may read it ---- */

/* Files that others than their owner can read or write. */
typedef struct readable {
  char names[NAMES_MAX]; /* of the first, each behind a space, as words of a command */
  int count;
} readable;

static void add_name(readable *found, const char *directory, const char *name) {
  size_t used = strlen(found->names);
  found->count++;
  if (used + strlen(directory) + strlen(name) + 5 < sizeof found->names)
    snprintf(found->names + used, sizeof found->names - used, " '%s/%s'", directory, name);
}

/* In the order of names, so that the same home is told in the same words everywhere. */
static void find_readable(const char *directory, readable *found) {
  struct dirent **entries = NULL;
  int place = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int count = place >= 0 ? scandir(directory, &entries, NULL, alphasort) : 0;
  for (int i = 0; i < count; i++) {
    struct stat about;
    if (fstatat(place, entries[i]->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode) && about.st_mode & 077)
      add_name(found, directory, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  if (place >= 0) close(place);
}

static void tell_permissions(st_call *call, const char *home, const struct stat *about) {
  static const char *const below[] = {"backups", "fallback"};
  readable found = {.count = 0};
  char directory[4096];
  find_readable(home, &found);
  for (size_t i = 0; i < sizeof below / sizeof *below; i++)
    if (snprintf(directory, sizeof directory, "%s/%s", home, below[i]) < (int)sizeof directory) find_readable(directory, &found);
  if (about->st_mode & 077) {
    st_doctor_line(call, ST_HEALTH_WARN, "permissions", "others may look into %s (mode %03o)", home, (unsigned)about->st_mode & 0777);
    st_doctor_fix(call, "chmod 700 '%s'%s%s", home, found.count ? " && chmod 600" : "", found.names);
  } else if (found.count) {
    st_doctor_line(call, ST_HEALTH_WARN, "permissions", "%d file%s in the home can be read by others", found.count, found.count == 1 ? "" : "s");
    st_doctor_fix(call, "chmod 600%s", found.names);
  } else {
    st_doctor_line(call, ST_HEALTH_OK, "permissions", "only their owner reads the home and its files");
    return;
  }
  st_doctor_cause(call, "Stele makes its home with mode 700 and its files with 600; something else has changed or made them");
}

/* ---- Room ---- */

st_health st_disk_health(int64_t available, int64_t total, int64_t largest) {
  if (available < ROOM_FAIL || available < largest) return ST_HEALTH_FAIL;
  return available < ROOM_WARN || available < total / 10 ? ST_HEALTH_WARN : ST_HEALTH_OK;
}

/* The largest store in the home: that much a backup needs. */
static int64_t largest_store(const stele_db *db) {
  int64_t largest = 0;
  for (uint16_t i = 0; i < st_registry.nstores; i++) {
    const st_opened *opened = &db->stores[i];
    struct stat about;
    if (opened->schema || !opened->target.in_home || !opened->location || stat(opened->location, &about) != 0) continue;
    if ((int64_t)about.st_size > largest) largest = about.st_size;
  }
  return largest;
}

void st_doctor_disk(st_call *call, const char *directory, int64_t largest) {
  struct statvfs about;
  if (statvfs(directory, &about) != 0) return;
  int64_t available = (int64_t)(about.f_bavail * about.f_frsize), total = (int64_t)(about.f_blocks * about.f_frsize);
  st_health health = st_disk_health(available, total, largest);
  st_doctor_line(call, health, "disk", "%s of %s are free; %s has %s", st_size(available).text, st_size(total).text,
                 call->store ? "it" : "the largest store", st_size(largest).text);
  if (health == ST_HEALTH_OK) return;
  st_doctor_cause(call, available < largest ? "a backup, as a migration makes it first, has no room"
                                            : "a full disk stops every write, also that of the log in which writes wait");
  st_doctor_fix(call, "make room beside %s: old backups, `stele prune --dry-run`, then `stele call conversation.vacuum`", directory);
}

static void tell_network(st_call *call, const char *home) {
  if (!st_on_network_fs(home)) return;
  bool accepted = (call->db->flags & STELE_OPEN_NETWORK_FS) != 0;
  st_doctor_line(call, accepted ? ST_HEALTH_WARN : ST_HEALTH_FAIL, "network", "%s is on a network file system", home);
  st_doctor_cause(call, "SQLite's locks and shared memory do not hold across machines: two writers can damage a file");
  st_doctor_fix(call, "move the home to a local disk, or keep the stores in PostgreSQL (--database); --network-fs is at your own risk");
}

void st_doctor_home(st_call *call) {
  const char *home = call->db->home;
  struct stat about;
  if (!home || strcmp(home, ":memory:") == 0) return;
  if (stat(home, &about) != 0 && errno == ENOENT) {
    st_doctor_line(call, ST_HEALTH_OK, "home", "%s is not there yet: the first use makes it", home);
    return;
  }
  const char *problem = access(home, R_OK | W_OK | X_OK) != 0 ? strerror(errno) : NULL;
  if (stat(home, &about) == 0 && !S_ISDIR(about.st_mode)) problem = "it is not a directory";
  if (problem) {
    st_doctor_line(call, ST_HEALTH_FAIL, "home", "%s cannot be used: %s", home, problem);
    st_doctor_cause(call, "the stores are files in this directory, and SQLite makes others beside them");
    st_doctor_fix(call, "make it a directory of this user, or name another with --home DIR or STELE_HOME");
    return;
  }
  st_doctor_line(call, ST_HEALTH_OK, "home", "%s", home);
  tell_permissions(call, home, &about);
  st_doctor_disk(call, home, largest_store(call->db));
  tell_network(call, home);
}

/* ---- The server ---- */

void st_doctor_server(st_call *call) {
  const char *home = call->db->home;
  st_server_seen seen;
  if (!home || strcmp(home, ":memory:") == 0) return;
  if (!st_server_look(home, &seen)) {
    st_doctor_line(call, ST_HEALTH_OK, "server", "no server runs on this home");
  } else if (strcmp(seen.version, STELE_VERSION) == 0) {
    st_doctor_line(call, ST_HEALTH_OK, "server", "runs, version %s, process %ld", seen.version, seen.pid);
  } else {
    st_doctor_line(call, ST_HEALTH_WARN, "server", "process %ld runs version %s; this is %s", seen.pid, seen.version, STELE_VERSION);
    st_doctor_cause(call, "the program was replaced while the server ran; both work on the same files");
    st_doctor_fix(call, "start the server again: `systemctl --user restart stele`, or kill %ld and `stele serve`", seen.pid);
  }
}
