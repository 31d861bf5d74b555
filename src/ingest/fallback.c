/* fallback.c - see fallback.h.
**
** Senders and the replay share a file by locking it.  The replay takes a file away while it holds the lock, so whoever gets
** the lock asks whether the file is still in its place. */
#include "fallback.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../door/json.h"
#include "place.h"

/* ---- Without secrets ---- */

/* {"json":true,"text":"..."}: the envelope is a string there, whose quotes and backslashes are escaped. */
static char *request_of(const char *line) {
  static const char before[] = "{\"json\":true,\"text\":\"", after[] = "\"}";
  char *request = malloc(2 * strlen(line) + sizeof before + sizeof after), *to = request;
  if (!request) return NULL;
  to += sprintf(to, "%s", before);
  for (; *line; line++) {
    if (*line == '"' || *line == '\\') *to++ = '\\';
    *to++ = *line;
  }
  sprintf(to, "%s", after);
  return request;
}

static char *ask(const stele_options *place, const char *request) {
  stele_db *db = NULL;
  char *reply = NULL, *text = NULL;
  if (stele_open(place, &db) == STELE_OK && stele_call(db, "stele.redact", request, &reply) == STELE_OK)
    text = json_text(json_member(json_read(reply, strlen(reply)), "text"));
  stele_free(reply);
  stele_close(db);
  return text;
}

/* The envelope on one line, in new memory; NULL: it cannot be made. */
static char *redacted(const stele_options *place, const char *envelope) {
  stele_options plain = *place;
  char *line = json_text(json_read(envelope, strlen(envelope)));
  char *request = line ? request_of(line) : NULL;
  char *text = request ? ask(place, request) : NULL;
  plain.redaction = NULL;
  if (!text && request && place->redaction) text = ask(&plain, request);
  free(line);
  free(request);
  return text;
}

/* ---- Onto the disk ---- */

static bool sync_directory(const char *path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool good = fd >= 0 && fsync(fd) == 0;
  if (fd >= 0) close(fd);
  return good;
}

/* The file of today, locked; -1: errno tells why not. */
static int open_locked(const char *path) {
  struct stat opened, there;
  for (;;) {
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return -1;
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR) continue;
    if (fstat(fd, &opened) == 0 && stat(path, &there) == 0 && opened.st_ino == there.st_ino && opened.st_dev == there.st_dev)
      return fd;
    close(fd); /* it was replayed, and is called otherwise now */
  }
}

/* A line that was torn when somebody was killed is ended, so that it does not spoil this one. */
static bool begin_line(int fd, off_t size) {
  char last = '\n';
  if (size > 0 && pread(fd, &last, 1, size - 1) != 1) return false;
  return last == '\n' || write(fd, "\n", 1) == 1;
}

/* All of the line, or nothing of it. */
static bool add_line(int fd, char *line, size_t length) {
  struct stat before;
  if (fstat(fd, &before) != 0 || !begin_line(fd, before.st_size)) return false;
  line[length] = '\n'; /* in place of its NUL */
  ssize_t wrote = write(fd, line, length + 1);
  bool good = wrote == (ssize_t)length + 1 && fsync(fd) == 0;
  int why = wrote >= 0 && wrote != (ssize_t)length + 1 ? ENOSPC : errno;
  line[length] = '\0';
  if (!good && ftruncate(fd, before.st_size) != 0) return false;
  errno = why;
  return good;
}

static bool append(const char *directory, char *line) {
  char path[ST_PLACE_MAX + 32], day[16];
  time_t now = time(NULL);
  struct tm utc;
  strftime(day, sizeof day, "%Y-%m-%d", gmtime_r(&now, &utc));
  snprintf(path, sizeof path, "%s/%s.jsonl", directory, day);
  int fd = open_locked(path);
  if (fd < 0) return false;
  bool good = add_line(fd, line, strlen(line)) && sync_directory(directory);
  int why = errno;
  close(fd); /* which unlocks it */
  errno = why;
  return good;
}

static bool make_directory(const char *home, const char *path) {
  if (mkdir(path, 0700) == 0 || errno == EEXIST) return true;
  return errno == ENOENT && mkdir(home, 0700) == 0 && mkdir(path, 0700) == 0;
}

bool st_fallback_append(const stele_options *place, const char *envelope, char why[ST_FALLBACK_WHY]) {
  char directory[ST_PLACE_MAX];
  if (!st_place_fallback(place->home, directory)) {
    snprintf(why, ST_FALLBACK_WHY, "there is no home to keep it in");
    return false;
  }
  char *line = redacted(place, envelope);
  bool good = line && make_directory(place->home, directory) && append(directory, line);
  if (!line)
    snprintf(why, ST_FALLBACK_WHY, "the envelope is no JSON, or there is no memory for it");
  else if (!good)
    snprintf(why, ST_FALLBACK_WHY, "%s: %s", directory, strerror(errno));
  free(line);
  return good;
}

/* NAME.jsonl, or NAME.jsonl.taken, which a replay that was killed left behind. */
static bool is_waiting(const char *name) {
  const char *ending = strstr(name, ".jsonl");
  return ending && (strcmp(ending, ".jsonl") == 0 || strcmp(ending, ".jsonl.taken") == 0);
}

bool st_fallback_waits(const char *home) {
  char path[ST_PLACE_MAX];
  bool found = false;
  DIR *directory = st_place_fallback(home, path) ? opendir(path) : NULL;
  for (struct dirent *at; directory && !found && (at = readdir(directory)) != NULL;) found = is_waiting(at->d_name);
  if (directory) closedir(directory);
  return found;
}
