/* doctor_file.c - lines of the checkup about a SQLite file: what is in it, and what lies beside it. */
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/doctor.h"
#include "engine/turn.h"

#define LOG_WARN ((int64_t)64 << 20) /* the log is cut to that size at every reset, unless a reader holds it */
#define BACKUP_OLD_S (30 * 86400)

/* ---- Inside ---- */

/* What a check of SQLite's said, told apart: of the file, and of its full-text tables. */
typedef struct damage {
  int pages, texts; /* how many lines */
  char page[300], text[300]; /* the first of each */
} damage;

static void note(const char *said, int *count, char first[300]) {
  if ((*count)++ == 0) snprintf(first, 300, "%s", said);
}

/* SQLite asks full-text tables to check themselves, after everything else: "malformed inverted index for FTS5 table main.t",
** or "fts5: corruption ..." if one cannot even be read. */
static bool is_of_texts(const char *said) { return strstr(said, " FTS") || strncmp(said, "fts", 3) == 0; }

static void take(damage *found, const char *said) {
  if (strcmp(said, "ok") == 0) return;
  if (is_of_texts(said)) note(said, &found->texts, found->text);
  else note(said, &found->pages, found->page);
}

static void read_check(st_call *call, const char *sql, damage *found) {
  st_inquiry inquiry;
  st_inquire(&inquiry, call->store->conn, sql, NULL);
  while (st_inquiry_next(&inquiry)) take(found, st_inquiry_text(&inquiry, 0));
  st_inquiry_end(call, &inquiry);
  if (inquiry.status != STELE_OK) take(found, call->store->conn->problem);
}

static void tell_integrity(st_call *call, const damage *found, bool full) {
  if (!found->pages) {
    st_doctor_line(call, ST_HEALTH_OK, "integrity", full ? "every page, row and index is whole" : "its structure is whole");
    return;
  }
  st_doctor_line(call, ST_HEALTH_FAIL, "integrity", "damaged: %s%s", found->page, found->pages > 1 ? ", and more" : "");
  st_doctor_cause(call, "pages were overwritten or lost: a failing disk, a copy made while it was written, another program");
  st_doctor_fix(call, "stop what uses it, then `stele restore %s --replace`; `stele repair %s --salvage` gets what is not in the backup out of %s",
                call->store->store->name, call->store->store->name, call->store->location);
}

/* One number; 0 where it cannot be found out, as of a damaged file, which is told already. */
static int64_t count(st_call *call, const char *sql) {
  st_inquiry inquiry;
  int64_t number = 0;
  st_inquire(&inquiry, call->store->conn, sql, NULL);
  if (st_inquiry_next(&inquiry)) number = st_inquiry_int(&inquiry, 0);
  st_inquiry_end(call, &inquiry);
  return number;
}

static void tell_texts(st_call *call, const damage *found) {
  int64_t tables = count(call, "SELECT count(*) FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts%'");
  if (found->texts) {
    st_doctor_line(call, ST_HEALTH_FAIL, "fts", "%s", found->text);
    st_doctor_cause(call, "a program wrote its shadow tables, or the text without its index");
    st_doctor_fix(call, "`stele reindex` makes the search tables of conversations anew from the texts themselves");
  } else if (tables) {
    st_doctor_line(call, ST_HEALTH_OK, "fts", "%lld full-text table%s agree%s with what they index", (long long)tables,
                   tables == 1 ? "" : "s", tables == 1 ? "s" : "");
  }
}

static void tell_keys(st_call *call) {
  int64_t orphans = count(call, "SELECT count(*) FROM (SELECT DISTINCT \"table\", \"rowid\" FROM pragma_foreign_key_check)");
  if (!orphans) {
    st_doctor_line(call, ST_HEALTH_OK, "references", "every row has the row it refers to");
    return;
  }
  st_doctor_line(call, ST_HEALTH_WARN, "references", "%lld row%s refer%s to a row that does not exist", (long long)orphans,
                 orphans == 1 ? "" : "s", orphans == 1 ? "s" : "");
  st_doctor_cause(call, "a program that does not enforce references deleted their parents");
  if (call->store->store->quarantine)
    st_doctor_fix(call, "`stele repair %s --dry-run` tells which; without --dry-run it puts them aside, after a backup",
                  call->store->store->name);
  else
    st_doctor_fix(call, "`PRAGMA foreign_key_check` in sqlite3 lists them; they do no harm to the others");
}

void st_doctor_inside(st_call *call, bool full) {
  damage found = {.pages = 0};
  read_check(call, full ? "PRAGMA integrity_check(20)" : "PRAGMA quick_check(20)", &found);
  if (!st_ok(call)) return;
  tell_integrity(call, &found, full);
  if (!found.pages) tell_texts(call, &found);
  if ((full || call->store->store->quarantine) && !found.pages) tell_keys(call);
}

/* ---- Beside ---- */

static void tell_log(st_call *call, int64_t bytes) {
  const char *path = call->store->location;
  if (bytes <= LOG_WARN) {
    st_doctor_line(call, ST_HEALTH_OK, "wal", "its write-ahead log has %s", st_size(bytes).text);
    return;
  }
  st_doctor_line(call, ST_HEALTH_WARN, "wal", "its write-ahead log has grown to %s", st_size(bytes).text);
  st_doctor_cause(call, "a reader that does not end keeps the log from being emptied, and every read has to search it");
  st_doctor_fix(call, "`fuser -v '%s'` lists who has it open; end the reader that is oldest: the next write empties the log", path);
}

/* The locks on the file go with their process: only a file that cannot be locked is a fault. */
static void tell_lock(st_call *call) {
  struct stat about;
  char path[4096];
  if (!st_turn_path(call->store->location, path) || stat(path, &about) != 0) return;
  if (S_ISREG(about.st_mode) && access(path, R_OK | W_OK) == 0) {
    st_doctor_line(call, ST_HEALTH_OK, "lock", "its lock file can be used");
    return;
  }
  st_doctor_line(call, ST_HEALTH_WARN, "lock", "its lock file %s cannot be used", path);
  st_doctor_cause(call, "writers take turns by locks on it; without it they still write safely, but unfairly: some wait long");
  st_doctor_fix(call, "remove it, whatever it is: the next writer makes it anew, for its owner");
}

/* Copies that migrations made. */
typedef struct copies {
  int count, old;
  int64_t bytes;
  char stem[300]; /* "telemetry.db.v" */
} copies;

static void find_copies(const char *directory, copies *found) {
  static const char suffix[] = ".backup";
  time_t now = time(NULL);
  DIR *list = opendir(directory);
  for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
    struct stat about;
    size_t length = strlen(entry->d_name), stem = strlen(found->stem);
    if (length < stem + sizeof suffix || strncmp(entry->d_name, found->stem, stem) != 0) continue;
    if (strcmp(entry->d_name + length + 1 - sizeof suffix, suffix) != 0) continue;
    if (fstatat(dirfd(list), entry->d_name, &about, 0) != 0) continue;
    found->count++;
    found->bytes += about.st_size;
    if (now - about.st_mtime > BACKUP_OLD_S) found->old++;
  }
  if (list) closedir(list);
}

static void tell_copies(st_call *call) {
  copies found = {.count = 0};
  char directory[4096], file[4096];
  const char *path = call->store->location;
  if (snprintf(directory, sizeof directory, "%s", path) >= (int)sizeof directory) return;
  snprintf(file, sizeof file, "%s", path);
  if (snprintf(found.stem, sizeof found.stem, "%s.v", basename(file)) >= (int)sizeof found.stem) return;
  find_copies(dirname(directory), &found);
  if (!found.count) return;
  st_doctor_line(call, found.old ? ST_HEALTH_WARN : ST_HEALTH_OK, "backups",
                 "%d cop%s from before migrations, %s", found.count, found.count == 1 ? "y" : "ies", st_size(found.bytes).text);
  if (!found.old) return;
  st_doctor_cause(call, "a migration copies the file first and keeps the copy; %d of them %s older than 30 days", found.old,
                  found.old == 1 ? "is" : "are");
  st_doctor_fix(call, "once all is well, delete them: rm '%s'.v*.backup", path);
}

/* The room of the home is told for all that is in it. */
static void tell_room(st_call *call) {
  char directory[4096];
  struct stat about;
  const char *path = call->store->location;
  if (call->store->target.in_home || stat(path, &about) != 0) return;
  if (snprintf(directory, sizeof directory, "%s", path) < (int)sizeof directory) st_doctor_disk(call, dirname(directory), about.st_size);
}

void st_doctor_beside(st_call *call, const st_look *look) {
  tell_room(call);
  if (look) tell_log(call, look->wal_bytes);
  tell_lock(call);
  tell_copies(call);
}
