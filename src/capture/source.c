/* source.c - the thread that reads: each file from where it was left, its lines, and the records in them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json_pull.h"
#include "capture/lines.h"
#include "capture/taking.h"

#define RECORD_MAX ((size_t)256 << 20) /* memory that one record may need while it is read */
#define STATE_MAX ((size_t)1 << 20)
#define HEAD ((size_t)64 << 10) /* bytes in which a transcript says where it works */
#define CHECK_START 1024        /* bytes that are hashed to know a file again: at its start, */
#define CHECK_END 4096          /* and before what was not yet read */
#define DATABASE_WAIT_MS 2000

typedef struct reading {
  st_taking *taking;
  st_lines lines;
  st_arena arena; /* of one record */
  st_str state;
  st_str kept; /* the state before a last line that may still grow */
} reading;

static bool is_compressed(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".zst") == 0;
}

/* ---- What was read before ------------------------------------------------------------------- */

static bool hash_part(int fd, int64_t from, size_t length, uint64_t *hash) {
  char bytes[CHECK_END];
  size_t got = 0;
  while (got < length) {
    ssize_t more = pread(fd, bytes + got, length - got, from + (int64_t)got);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return false;
    got += (size_t)more;
  }
  *hash = st_hash64(*hash, bytes, length);
  return true;
}

/* A hash by which the part of a file before an offset is known again, without reading all of it. */
static bool check(int fd, int64_t upto, uint64_t *hash) {
  size_t start = upto < CHECK_START ? (size_t)upto : CHECK_START;
  size_t end = upto < CHECK_END ? (size_t)upto : CHECK_END;
  *hash = (uint64_t)upto;
  return hash_part(fd, 0, start, hash) && hash_part(fd, upto - (int64_t)end, end, hash);
}

static bool goes_on(const st_taking *t, int fd, const struct stat *found) {
  const st_job *job = t->job;
  uint64_t hash;
  return job->id && !t->again && (job->captured || !t->segments || !job->reader->segments) && job->inode == (int64_t)found->st_ino && job->device == (int64_t)found->st_dev &&
         found->st_size >= job->consumed && check(fd, job->consumed, &hash) && hash == job->checked;
}

/* ---- Where it works ------------------------------------------------------------------------- */

/* The first "cwd" in the head of a transcript, as most of them tell it. */
static st_text find_cwd(st_arena *arena, const char *head, size_t length) {
  static const char name[] = "\"cwd\":";
  const char *at = memmem(head, length, name, sizeof name - 1);
  st_text cwd = {0};
  if (!at) return cwd;
  at += sizeof name - 1;
  const char *end = st_pull_skip(at, head + length, NULL);
  while (end && *at == ' ') at++;
  if (end && !st_pull_text(arena, (st_text){at, (size_t)(end - at)}, &cwd)) cwd = (st_text){0};
  return cwd;
}

static bool is_ignored(reading *r, int fd) {
  char *head = st_arena_alloc(&r->arena, HEAD);
  ssize_t length = head ? pread(fd, head, HEAD, 0) : -1;
  bool ignored = length > 0 && st_ignore_project(&r->taking->ignore, find_cwd(&r->arena, head, (size_t)length));
  st_arena_reset(&r->arena);
  return ignored;
}

/* ---- Records -------------------------------------------------------------------------------- */

static st_text trim(const char *text, size_t length) {
  static const char bom[] = "\xEF\xBB\xBF";
  if (length >= 3 && memcmp(text, bom, 3) == 0) text += 3, length -= 3;
  while (length && (text[length - 1] == '\r' || text[length - 1] == ' ' || text[length - 1] == '\0')) length--;
  while (length && (*text == ' ' || *text == '\t' || *text == '\0')) text++, length--; /* a crash leaves NULs */
  return (st_text){text, length};
}

static bool give_record(reading *r, const char *json, size_t length) {
  st_taking *t = r->taking;
  bool ok = t->job->reader->record(&t->source, json, length);
  st_arena_reset(&r->arena);
  if (r->state.failed) t->nomem = true;
  return ok && !t->nomem;
}

/* All records of a line: mostly one, sometimes several without anything between them. */
static bool give_line(reading *r, st_text line) {
  const char *at = line.bytes, *end = line.bytes + line.length;
  for (r->taking->source.piece = 0; at < end; r->taking->source.piece++) {
    const char *why = NULL;
    const char *after = st_pull_skip(at, end, &why);
    if (!after) return st_taking_bad(r->taking, r->taking->source.record, why);
    if (!give_record(r, at, (size_t)(after - at))) return false;
    for (at = after; at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\0' || *at == ','); at++) continue;
  }
  return true;
}

static bool is_complete(st_text line) {
  const char *at = line.bytes, *end = line.bytes + line.length;
  while (at && at < end) at = st_pull_skip(at, end, NULL);
  return at != NULL;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static bool set_state(st_str *state, const char *text, size_t length) {
  st_str_clear(state);
  st_str_add(state, text ? text : "", length);
  return !state->failed;
}

/* Say how far the file was read. */
static bool mark(reading *r, int fd, int64_t consumed, bool done) {
  st_taking *t = r->taking;
  t->mark.consumed = consumed;
  t->mark.state = (st_text){r->state.text ? r->state.text : "", r->state.length};
  if (!check(fd, consumed, &t->mark.checked)) t->mark.checked = 0; /* the file has shrunk: it is read anew */
  return st_taking_mark(t, done);
}

/* What follows the last line end: told if it is complete, but read again the next time. */
static bool give_part(reading *r, st_text line) {
  st_taking *t = r->taking;
  if (!is_complete(line)) {
    t->batch->unfinished++;
    t->mark.unfinished = true;
    return true;
  }
  if (!set_state(&r->kept, r->state.text, r->state.length) || !st_taking_part(t)) return false;
  t->source.record++;
  if (!give_line(r, line)) return false;
  return set_state(&r->state, r->kept.text, r->kept.length);
}

/* True: read to its end. */
static bool read_lines(reading *r, int fd, int64_t *consumed) {
  st_taking *t = r->taking;
  const char *text;
  size_t length;
  for (;;) {
    int64_t before = r->lines.bytes;
    st_line_status status = st_lines_next(&r->lines, &text, &length);
    if (t->batch) t->batch->bytes += r->lines.bytes - before;
    if (status == ST_LINE_NOMEM) t->nomem = true;
    if (status == ST_LINE_FAILED) return st_taking_bad(t, 0, r->lines.why);
    if (status == ST_LINE_NOMEM) return false;
    if (status == ST_LINE_END) return true;
    if (status == ST_LINE_PART) return give_part(r, trim(text, length));
    t->source.record++;
    if (status == ST_LINE_LONG) {
      if (!st_taking_bad(t, t->source.record, "the line is longer than 32 MiB")) return false;
    } else {
      st_text line = trim(text, length);
      if (length > 0 && line.length == 0 && memchr(text, '\0', length)) {
        if (!st_taking_bad(t, t->source.record, "nothing but NUL bytes")) return false;
      } else if (!give_line(r, line)) {
        return false;
      }
    }
    if (!r->lines.zstd) *consumed = r->lines.offset;
    t->mark.records = t->source.record;
    if (st_taking_is_full(t) && !(mark(r, fd, *consumed, false) && st_taking_send(t, false))) return false;
  }
}

static bool read_transcript(reading *r, int fd, const struct stat *found) {
  st_taking *t = r->taking;
  const st_reader *reader = t->job->reader;
  bool compressed = is_compressed(t->job->path);
  bool on = !compressed && goes_on(t, fd, found);
  int64_t consumed = on ? t->job->consumed : 0;
  t->mark.anew = !on;
  t->mark.records = t->source.record = on ? t->job->records : 0;
  if (!set_state(&r->state, on ? t->job->state : NULL, on ? t->job->state_length : 0)) return false;
  if (!st_taking_segments(t, on)) return false;
  if (!reader->begin(&t->source)) return false;
  if (!st_lines_begin(&r->lines, fd, consumed, compressed)) return false;
  if (!read_lines(r, fd, &consumed)) return false;
  if (reader->end && !reader->end(&t->source)) return false;
  st_arena_reset(&r->arena);
  return mark(r, fd, consumed, true);
}

/* A transcript that is plain text says only as a whole what belongs together. */
static bool read_plain(reading *r, int fd) {
  st_taking *t = r->taking;
  const st_reader *reader = t->job->reader;
  const char *text;
  size_t length;
  st_line_status status;
  t->mark.anew = true;
  t->source.record = 0;
  if (!set_state(&r->state, NULL, 0) || !st_taking_segments(t, false) || !reader->begin(&t->source)) return false;
  if (!st_lines_begin(&r->lines, fd, 0, false)) return false;
  while ((status = st_lines_next(&r->lines, &text, &length)) == ST_LINE_READ || status == ST_LINE_PART) {
    t->source.record++;
    if (length && text[length - 1] == '\r') length--;
    if (!reader->line(&t->source, text, length) || !st_taking_send(t, false)) return false;
    st_arena_reset(&r->arena);
  }
  t->batch->bytes += r->lines.bytes;
  if (status == ST_LINE_FAILED && !st_taking_bad(t, 0, r->lines.why)) return false;
  if (reader->end && !reader->end(&t->source)) return false;
  st_str_clear(&r->state);
  st_arena_reset(&r->arena);
  return mark(r, fd, 0, true);
}

/* ---- Databases ------------------------------------------------------------------------------ */

static bool read_database(reading *r, int fd) {
  st_taking *t = r->taking;
  sqlite3 *db = NULL;
  int code = sqlite3_open_v2(t->job->path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
  bool anew = t->again || !t->job->id || (t->segments && t->job->reader->segments && !t->job->captured);
  bool ok = true;
  if (code == SQLITE_OK) code = sqlite3_busy_timeout(db, DATABASE_WAIT_MS);
  t->mark.anew = anew;
  t->flows = true;
  if (code != SQLITE_OK) {
    ok = st_taking_bad(t, 0, db ? sqlite3_errmsg(db) : "out of memory");
  } else {
    ok = set_state(&r->state, anew ? NULL : t->job->state, anew ? 0 : t->job->state_length) &&
         st_taking_segments(t, !anew) && t->job->reader->read(&t->source, db) && st_taking_database(t, db);
  }
  sqlite3_close(db);
  st_arena_reset(&r->arena);
  if (ok) t->batch->bytes += t->mark.size;
  return ok && mark(r, fd, 0, true);
}

/* ---- Files ---------------------------------------------------------------------------------- */

static bool is_plain(const reading *r, int fd) {
  char first = '\0';
  if (!r->taking->job->reader->line) return false;
  for (off_t at = 0; pread(fd, &first, 1, at) == 1 && strchr(" \t\r\n", first) && first; at++) continue;
  return first != '{' && first != '\0';
}

static void remember_file(st_taking *t, const struct stat *found) {
  t->mark.device = (int64_t)found->st_dev;
  t->mark.inode = (int64_t)found->st_ino;
  t->mark.size = t->job->size; /* as the one who asked found them: with the log, of a database */
  t->mark.modified = t->job->modified;
}

static bool read_open(reading *r, int fd, const struct stat *found) {
  st_taking *t = r->taking;
  remember_file(t, found);
  t->source = (st_source){.path = t->job->path,
                          .under = t->job->path + t->job->under,
                          .modified = (double)found->st_mtim.tv_sec + (double)found->st_mtim.tv_nsec / 1e9,
                          .arena = &r->arena,
                          .state = &r->state,
                          .taker = &t->taker};
  if (!t->job->reader->record) return read_database(r, fd);
  if (!is_compressed(t->job->path) && is_ignored(r, fd)) {
    t->batch->ignored++;
    return true;
  }
  return !is_compressed(t->job->path) && is_plain(r, fd) ? read_plain(r, fd) : read_transcript(r, fd, found);
}

static bool read_file(reading *r, st_job *job) {
  st_taking *t = r->taking;
  struct stat found;
  int fd = open(job->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return errno == ENOENT || errno == ENOTDIR || st_taking_bad(t, 0, strerror(errno)); /* gone: fine */
  bool ok = true;
  if (fstat(fd, &found) == 0 && S_ISREG(found.st_mode)) ok = read_open(r, fd, &found);
  close(fd);
  return ok;
}

/* False: nothing more can be done. */
static bool read_job(reading *r, st_job *job) {
  st_taking *t = r->taking;
  st_taking_begin(t, job);
  bool ok = read_file(r, job);
  if (!t->batch) {
    t->channel->unfinished = job;
    return false;
  }
  job->next = t->batch->finished;
  t->batch->finished = job;
  return ok && st_taking_send(t, false);
}

void *st_taking_run(void *argument) {
  st_taking *t = argument;
  reading r = {.taking = t};
  st_job *job;
  st_arena_init(&r.arena, RECORD_MAX);
  st_str_init(&r.state, STATE_MAX);
  st_str_init(&r.kept, STATE_MAX);
  t->batch = st_channel_empty_batch(t->channel);
  while (t->batch && (job = st_channel_next_job(t->channel)) != NULL && read_job(&r, job)) continue;
  st_taking_end(t);
  st_lines_free(&r.lines);
  st_arena_free(&r.arena);
  st_str_free(&r.state);
  st_str_free(&r.kept);
  return NULL;
}
