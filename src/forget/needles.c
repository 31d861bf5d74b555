/* needles.c - see needles.h.
**
** A window as wide as the shortest of them moves over the bytes, and its hash is kept up to date byte by byte, so that any
** number of needles costs what one does. */
#include "forget/needles.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#define BASE UINT64_C(0x100000001B3)
#define CHUNK (1u << 20)

bool st_needles_add(st_needles *n, const char *bytes, size_t length) {
  if (length == 0 || n->count == ST_NEEDLES_MAX) return true;
  if (n->count == n->room) {
    size_t room = n->room ? 2 * n->room : 16;
    st_needle *grown = st_realloc(n->all, room * sizeof *grown);
    if (!grown) return false;
    n->all = grown;
    n->room = room;
  }
  char *copy = st_alloc(length);
  if (!copy) return false;
  memcpy(copy, bytes, length);
  n->all[n->count++] = (st_needle){copy, length, false};
  n->ready = false;
  return true;
}

void st_needles_free(st_needles *n) {
  for (size_t i = 0; i < n->count; i++) st_free(n->all[i].bytes);
  st_free(n->all);
  st_free(n->table);
  *n = (st_needles){0};
}

static uint64_t hash_of(const char *bytes, size_t width) {
  uint64_t hash = 0;
  for (size_t i = 0; i < width; i++) hash = hash * BASE + (unsigned char)bytes[i];
  return hash;
}

static size_t slot_of(const st_needles *n, uint64_t hash) { return (size_t)((hash ^ hash >> 29) * BASE >> 20) & (n->slots - 1); }

static bool prepare(st_needles *n) {
  if (n->ready) return true;
  n->width = SIZE_MAX;
  for (size_t i = 0; i < n->count; i++)
    if (n->all[i].length < n->width) n->width = n->all[i].length;
  for (n->slots = 64; n->slots < 4 * n->count; n->slots *= 2) continue;
  st_free(n->table);
  n->table = st_alloc_zero(n->slots * sizeof *n->table);
  if (!n->table) return false;
  for (size_t i = 0; i < n->count; i++) {
    size_t slot = slot_of(n, hash_of(n->all[i].bytes, n->width));
    while (n->table[slot]) slot = (slot + 1) & (n->slots - 1);
    n->table[slot] = (uint32_t)i + 1;
  }
  return n->ready = true;
}

/* The longest of them, beyond which a file's chunks need not overlap. */
static size_t longest(const st_needles *n) {
  size_t most = 1;
  for (size_t i = 0; i < n->count; i++)
    if (n->all[i].length > most) most = n->all[i].length;
  return most;
}

/* Look through some bytes; each(at, needle) is told where one begins before `until`. */
static void look(st_needles *n, const char *bytes, size_t length, size_t until, void (*each)(void *to, size_t at, size_t size), void *to) {
  if (n->count == 0 || length < n->width) return;
  uint64_t lead = 1, hash = hash_of(bytes, n->width);
  for (size_t i = 1; i < n->width; i++) lead *= BASE;
  for (size_t at = 0; at < until; at++) {
    for (size_t slot = slot_of(n, hash); n->table[slot]; slot = (slot + 1) & (n->slots - 1)) {
      st_needle *needle = &n->all[n->table[slot] - 1];
      if (needle->length > length - at || memcmp(needle->bytes, bytes + at, needle->length) != 0) continue;
      needle->met = true;
      each(to, at, needle->length);
    }
    if (at + n->width >= length) break;
    hash = (hash - (unsigned char)bytes[at] * lead) * BASE + (unsigned char)bytes[at + n->width];
  }
}

static void count_one(void *to, size_t at, size_t size) {
  (void)at;
  (void)size;
  ++*(int64_t *)to;
}

bool st_needles_count(st_needles *n, const char *bytes, size_t length, int64_t *found) {
  *found = 0;
  if (!prepare(n)) return false;
  look(n, bytes, length, length, count_one, found);
  return true;
}

/* ---- Files ---- */

/* A database is read through SQLite: closing a descriptor of it would drop the locks that this process has on it. */
typedef struct source {
  int fd; /* -1: it is a database */
  sqlite3_file *file;
  sqlite3_int64 size; /* of a database */
  sqlite3_filename name;
} source;

static bool is_database(const char *path) {
  size_t length = strlen(path);
  char beside[4200];
  if (length > 3 && strcmp(path + length - 3, ".db") == 0) return true;
  snprintf(beside, sizeof beside, "%s-shm", path); /* a store may have any name; who has it open has this one, too */
  return access(beside, F_OK) == 0;
}

static int open_database(source *s, const char *path) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  s->name = sqlite3_create_filename(path, "", "", 0, NULL);
  s->file = s->name ? st_alloc_zero((size_t)vfs->szOsFile) : NULL;
  if (!s->file) return ENOMEM;
  int code = vfs->xOpen(vfs, s->name, s->file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, NULL);
  if ((code & 0xff) == SQLITE_NOMEM) return ENOMEM;
  if (code != SQLITE_OK) return errno ? errno : EIO;
  return s->file->pMethods->xFileSize(s->file, &s->size) == SQLITE_OK ? 0 : EIO;
}

static int open_source(source *s, const char *path, bool writes) {
  *s = (source){.fd = -1};
  errno = 0;
  if (!writes && is_database(path)) return open_database(s, path);
  s->fd = open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  return s->fd < 0 ? errno : 0;
}

static void close_source(source *s) {
  if (s->file && s->file->pMethods) s->file->pMethods->xClose(s->file);
  if (s->name) sqlite3_free_filename(s->name);
  st_free(s->file);
  if (s->fd >= 0) close(s->fd);
}

static ssize_t read_some(const source *s, char *into, size_t room, off_t at) {
  ssize_t got;
  if (s->fd >= 0) {
    while ((got = pread(s->fd, into, room, at)) < 0 && errno == EINTR) continue;
    return got;
  }
  size_t left = at < s->size ? (size_t)(s->size - at) : 0;
  if (room > left) room = left;
  if (room > 0 && s->file->pMethods->xRead(s->file, into, (int)room, at) != SQLITE_OK) {
    errno = EIO;
    return -1;
  }
  return (ssize_t)room;
}

typedef struct blanking {
  int fd; /* -1: what is found is only counted */
  off_t base;
  char fill;
  int64_t found;
  int problem;
} blanking;

static void blank_one(void *to, size_t at, size_t size) {
  blanking *b = to;
  char line[256];
  memset(line, b->fill, sizeof line);
  b->found++;
  for (size_t done = 0; b->fd >= 0 && done < size && !b->problem;) {
    size_t most = size - done < sizeof line ? size - done : sizeof line;
    ssize_t wrote = pwrite(b->fd, line, most, b->base + (off_t)(at + done));
    if (wrote <= 0) b->problem = errno ? errno : EIO;
    if (wrote > 0) done += (size_t)wrote;
  }
}

/* Chunks overlap by what the longest may need, and what begins in the overlap is met in the next one. */
static int walk(st_needles *n, const source *s, blanking *b, int64_t *bytes) {
  size_t overlap = longest(n) - 1, room = CHUNK + overlap, held = 0;
  char *buffer = st_alloc(room);
  off_t at = 0;
  if (!buffer) return ENOMEM;
  for (bool ended = false; !ended && !b->problem;) {
    ssize_t got = read_some(s, buffer + held, room - held, at + (off_t)held);
    if (got < 0) b->problem = errno;
    ended = got <= 0;
    held += got > 0 ? (size_t)got : 0;
    *bytes += got > 0 ? got : 0;
    if (!ended && held < room) continue;
    size_t done = ended ? held : held - overlap;
    b->base = at;
    look(n, buffer, held, done, blank_one, b);
    memmove(buffer, buffer + done, held - done);
    held -= done;
    at += (off_t)done;
  }
  st_free(buffer);
  return b->problem;
}

static int walk_path(st_needles *n, const char *path, bool writes, char fill, int64_t *bytes, int64_t *found) {
  source s;
  *bytes = *found = 0;
  if (!prepare(n)) return ENOMEM;
  int problem = open_source(&s, path, writes);
  blanking b = {.fd = writes ? s.fd : -1, .fill = fill};
  if (!problem) problem = walk(n, &s, &b, bytes);
  if (!problem && writes && b.found && fsync(s.fd) != 0) problem = errno;
  close_source(&s);
  *found = b.found;
  return problem;
}

int st_needles_search(st_needles *n, const char *path, int64_t *bytes, int64_t *found) { return walk_path(n, path, false, 0, bytes, found); }

int st_needles_blank(st_needles *n, const char *path, char fill, int64_t *found) {
  int64_t bytes;
  return walk_path(n, path, true, fill, &bytes, found);
}
