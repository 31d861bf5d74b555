/* replay.c - capture.replay_fallback: what could not be handed to the server is read from its files.
**
** A file is taken aside first, while it is locked, so that senders go on with a new one; then its lines are kept, and the file gets its
** last name.  Killed anywhere, the next replay finds it where it was left, and what had been kept is known by its envelope. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/intake.h"
#include "engine/handle.h"

#define NEW ".jsonl"           /* being written to */
#define TAKEN ".jsonl.taken"   /* being replayed, or left behind by a replay that was killed */
#define DONE ".jsonl.done"     /* all of it was kept */
#define PARTIAL ".jsonl.partial" /* the lines of it that were not */
#define LEFT ".jsonl.left"     /* those, while they are collected */

#define DAY_MAX 200      /* bytes of a file's name before its ending */
#define FILES_MAX 4096   /* of one replay; another goes on */
#define PROBLEMS_MAX 100 /* told; all are counted */

typedef struct replay {
  st_call *call;
  const char *directory;
  int fd; /* of the directory */
  const char **days; /* the names of the files, without their endings */
  size_t count;
  st_intake intake;
  FILE *left; /* lines that were not kept; NULL: none yet */
  const char *day;
  int64_t files, partial;
  st_str problems;
  int nproblems;
} replay;

static void fail_with(replay *r, const char *name) {
  st_fail(r->call, errno == ENOSPC || errno == EDQUOT ? STELE_FULL : STELE_IO, NULL, "%s/%s: %s", r->directory, name, strerror(errno));
}

static void name_of(char out[DAY_MAX + 32], const char *day, const char *ending) {
  snprintf(out, DAY_MAX + 32, "%s%s", day, ending);
}

/* Give it another name, which may be that of another file.  False: the call has failed, or it is not there. */
static bool move(replay *r, const char *from, const char *to) {
  if (renameat(r->fd, from, r->fd, to) == 0) return true;
  if (errno != ENOENT) fail_with(r, from);
  return false;
}

/* ---- Which files there are ---- */

static bool ends_with(const char *name, const char *ending) {
  size_t length = strlen(name), size = strlen(ending);
  return length > size && length - size <= DAY_MAX && strcmp(name + length - size, ending) == 0;
}

static int by_name(const void *one, const void *other) {
  return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static void add_day(replay *r, const char *name, const char *ending) {
  char *day = st_call_copy(r->call, name, strlen(name) - strlen(ending));
  if (day && r->count < FILES_MAX) r->days[r->count++] = day;
}

static void list_days(replay *r) {
  r->days = st_call_alloc(r->call, FILES_MAX * sizeof *r->days);
  DIR *open_directory = r->days ? fdopendir(dup(r->fd)) : NULL;
  if (r->days && !open_directory) fail_with(r, ".");
  for (struct dirent *at; open_directory && (at = readdir(open_directory)) != NULL;) {
    if (ends_with(at->d_name, NEW)) add_day(r, at->d_name, NEW);
    else if (ends_with(at->d_name, TAKEN)) add_day(r, at->d_name, TAKEN);
  }
  if (open_directory) closedir(open_directory);
  if (st_ok(r->call)) qsort(r->days, r->count, sizeof *r->days, by_name);
}

/* ---- Lines that are not kept ---- */

static void tell(replay *r, const char *why) {
  char line[DAY_MAX + 700];
  if (r->nproblems++ >= PROBLEMS_MAX) return;
  snprintf(line, sizeof line, "%s" NEW ": %s", r->day, why);
  st_str_addc(&r->problems, r->problems.length ? ',' : '[');
  st_json_add_string(&r->problems, line, strlen(line));
}

static void keep_line(void *user, const char *line, size_t length, const char *why) {
  replay *r = user;
  char name[DAY_MAX + 32];
  name_of(name, r->day, LEFT);
  if (!r->left) {
    int fd = openat(r->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    r->left = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && !r->left) close(fd);
  }
  if (!r->left || fwrite(line, 1, length, r->left) != length || fputc('\n', r->left) == EOF) fail_with(r, name);
  tell(r, why);
}

/* True: they are on the disk. */
static bool close_left(replay *r) {
  FILE *left = r->left;
  r->left = NULL;
  bool good = fflush(left) == 0 && fsync(fileno(left)) == 0;
  good = fclose(left) == 0 && good;
  if (!good) fail_with(r, r->day);
  return good && st_ok(r->call);
}

/* The first of NAME, NAME.2, NAME.3, ... that is free: no file is ever replaced. */
static void free_name(const replay *r, const char *ending, char out[DAY_MAX + 32]) {
  struct stat found;
  name_of(out, r->day, ending);
  for (int i = 2; fstatat(r->fd, out, &found, AT_SYMLINK_NOFOLLOW) == 0; i++) snprintf(out, DAY_MAX + 32, "%s%s.%d", r->day, ending, i);
}

/* What is left takes the place of all lines, and then gets its name: between the two, another replay would do the same again. */
static void end_partial(replay *r, const char *taken) {
  char left[DAY_MAX + 32], last[DAY_MAX + 32];
  name_of(left, r->day, LEFT);
  free_name(r, PARTIAL, last);
  if (close_left(r) && move(r, left, taken) && move(r, taken, last)) r->partial++;
}

/* ---- One file ---- */

static bool is_stopped(replay *r) {
  stele_db *db = r->call->db;
  return db->progress && db->progress(db->user, "replay", r->intake.stored + r->intake.duplicates + r->intake.refused, 0) != 0;
}

static void read_lines(replay *r, FILE *file) {
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  while (st_ok(r->call) && (length = getline(&line, &room, file)) >= 0) {
    if (length > 0 && line[length - 1] == '\n') length--; /* one that was torn has none, and is tried all the same */
    if (length > 0) st_intake_add(&r->intake, line, (size_t)length);
    if (r->intake.count == 0 && st_ok(r->call) && is_stopped(r)) {
      st_fail(r->call, STELE_CANCELLED, NULL, "stopped; what was read so far is kept");
      st_hint(r->call, "the same call goes on from there");
    }
  }
  if (st_ok(r->call) && ferror(file)) fail_with(r, r->day);
  free(line);
  st_intake_flush(&r->intake);
}

static void replay_taken(replay *r, const char *day) {
  char taken[DAY_MAX + 32], done[DAY_MAX + 32];
  name_of(taken, day, TAKEN);
  int fd = st_ok(r->call) ? openat(r->fd, taken, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
  if (fd < 0) return; /* it is not there */
  FILE *file = fdopen(fd, "r");
  if (!file) {
    close(fd);
    st_fail(r->call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  r->day = day;
  free_name(r, DONE, done);
  read_lines(r, file);
  fclose(file);
  r->files++;
  if (st_ok(r->call) && r->left) end_partial(r, taken);
  else if (st_ok(r->call)) move(r, taken, done);
  if (r->left) fclose(r->left);
  r->left = NULL;
}

/* While it is locked nobody writes to it; whoever waits for the lock sees then that it has gone. */
static void take_aside(replay *r, const char *day) {
  char name[DAY_MAX + 32], taken[DAY_MAX + 32];
  name_of(name, day, NEW);
  name_of(taken, day, TAKEN);
  int fd = st_ok(r->call) ? openat(r->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
  if (fd < 0) return;
  while (flock(fd, LOCK_EX) != 0 && errno == EINTR) continue;
  move(r, name, taken);
  close(fd);
}

/* ---- The method ---- */

static void reply_with(replay *r) {
  st_str_addz(&r->problems, r->problems.length ? "]" : "[]");
  st_value problems = st_take(r->call, &r->problems);
  st_value *reply = st_reply(r->call);
  if (!reply) return;
  reply[ST_R_CAPTURE_REPLAY_FALLBACK_FILES] = st_int(r->files);
  reply[ST_R_CAPTURE_REPLAY_FALLBACK_PARTIAL] = st_int(r->partial);
  reply[ST_R_CAPTURE_REPLAY_FALLBACK_STORED] = st_int(r->intake.stored);
  reply[ST_R_CAPTURE_REPLAY_FALLBACK_DUPLICATES] = st_int(r->intake.duplicates);
  reply[ST_R_CAPTURE_REPLAY_FALLBACK_REFUSED] = st_int(r->intake.refused);
  reply[ST_R_CAPTURE_REPLAY_FALLBACK_PROBLEMS] = problems;
}

/* One replay at a time; what another has begun is its own. */
static bool open_directory_of(replay *r) {
  r->fd = open(r->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (r->fd < 0 && errno != ENOENT) fail_with(r, "");
  if (r->fd < 0) return false;
  if (flock(r->fd, LOCK_EX | LOCK_NB) == 0) return true;
  st_note(r->call, "another replay is under way");
  return false;
}

void st_capture_replay_fallback(st_call *call) {
  replay r = {.call = call, .directory = st_arg_text(call, ST_P_CAPTURE_REPLAY_FALLBACK_DIRECTORY)};
  r.intake = (st_intake){.call = call, .now = call->args[ST_P_CAPTURE_REPLAY_FALLBACK_NOW], .refused_one = keep_line, .user = &r};
  st_str_init(&r.problems, 1u << 20);
  st_intake_begin(&r.intake);
  if (open_directory_of(&r)) list_days(&r);
  for (size_t i = 0; i < r.count && st_ok(call); i++) {
    replay_taken(&r, r.days[i]); /* what a killed replay left comes first: there the new lines go */
    take_aside(&r, r.days[i]);
    replay_taken(&r, r.days[i]);
  }
  reply_with(&r);
  st_str_free(&r.problems);
  st_intake_free(&r.intake);
  if (r.fd >= 0) close(r.fd); /* which unlocks it */
}
