/* pages.c - the file and its log: see pages.h. */
#include "engine/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define SMALLEST 512u
#define LARGEST 65536u

static bool is_size(uint32_t size) { return size >= SMALLEST && size <= LARGEST && (size & (size - 1)) == 0; }

/* pread() of exactly so many bytes. */
static bool read_at(int fd, void *out, size_t size, int64_t at) {
  for (char *to = out; size;) {
    ssize_t got = pread(fd, to, size, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got, at += got, size -= (size_t)got;
  }
  return true;
}

/* ---- The log ---- */

/* SQLite's checksum, over pairs of words in the order of bytes that the log was made with. */
static void add_to_sum(const unsigned char *bytes, size_t size, bool big, uint32_t sum[2]) {
  for (size_t i = 0; i + 8 <= size; i += 8) {
    uint32_t first = st_four_bytes(bytes + i), second = st_four_bytes(bytes + i + 4);
    if (!big) first = __builtin_bswap32(first), second = __builtin_bswap32(second);
    sum[0] += first + sum[1];
    sum[1] += second + sum[0];
  }
}

typedef struct frame {
  int64_t at;
  uint32_t page;
} frame;

typedef struct log_reader {
  unsigned char head[32];
  bool big;
  uint32_t sum[2];
  unsigned char *bytes; /* of a frame */
  frame *frames;
  size_t count, room;
} log_reader;

static bool begin_log(log_reader *r, int fd, st_pages *pages) {
  if (!read_at(fd, r->head, sizeof r->head, 0) || (st_four_bytes(r->head) & ~1u) != 0x377f0682 || !is_size(st_four_bytes(r->head + 8))) return false;
  r->big = st_four_bytes(r->head) & 1;
  add_to_sum(r->head, 24, r->big, r->sum);
  if (r->sum[0] != st_four_bytes(r->head + 24) || r->sum[1] != st_four_bytes(r->head + 28)) return false;
  if (pages->header && pages->size != st_four_bytes(r->head + 8)) return false; /* the log of another file */
  pages->size = st_four_bytes(r->head + 8);
  return true;
}

static bool add_frame(log_reader *r, frame added) {
  if (r->count == r->room) {
    size_t room = r->room ? 2 * r->room : 64;
    frame *more = st_realloc(r->frames, room * sizeof *more);
    if (!more) return false;
    r->frames = more;
    r->room = room;
  }
  r->frames[r->count++] = added;
  return true;
}

/* Frames up to the last that ends a transaction; *whole is how many, *count how many pages the file has then. */
static bool read_frames(log_reader *r, int fd, uint32_t size, size_t *whole, uint32_t *count) {
  for (int64_t at = 32; read_at(fd, r->bytes, 24 + size, at); at += 24 + size) {
    add_to_sum(r->bytes, 8, r->big, r->sum);
    add_to_sum(r->bytes + 24, size, r->big, r->sum);
    bool ours = memcmp(r->bytes + 8, r->head + 16, 8) == 0 && st_four_bytes(r->bytes + 16) == r->sum[0] && st_four_bytes(r->bytes + 20) == r->sum[1];
    if (!ours || !st_four_bytes(r->bytes)) return true;
    if (!add_frame(r, (frame){at + 24, st_four_bytes(r->bytes)})) return false;
    if (st_four_bytes(r->bytes + 4)) *count = st_four_bytes(r->bytes + 4), *whole = r->count;
  }
  return true;
}

static bool use_frames(const log_reader *r, size_t whole, uint32_t count, st_pages *pages) {
  pages->in_log = st_alloc_zero((count + 1) * sizeof *pages->in_log);
  if (!pages->in_log) return false;
  for (size_t i = 0; i < whole; i++)
    if (r->frames[i].page <= count) pages->in_log[r->frames[i].page] = r->frames[i].at;
  for (uint32_t i = 1; i <= count; i++) pages->logged += pages->in_log[i] != 0;
  pages->count = count;
  return true;
}

static stele_status no_memory(char problem[ST_PROBLEM_MAX]) {
  snprintf(problem, ST_PROBLEM_MAX, "out of memory");
  return STELE_NOMEM;
}

/* A log that is there and cannot be opened is told: it may have rows that are nowhere else. */
static stele_status read_log(const char *path, st_pages *pages, char problem[ST_PROBLEM_MAX]) {
  log_reader r = {.count = 0};
  size_t whole = 0;
  uint32_t count = 0;
  pages->log = open(path, O_RDONLY | O_CLOEXEC);
  if (pages->log < 0) return errno == ENOENT ? STELE_OK : st_file_failed(path, problem);
  if (!begin_log(&r, pages->log, pages)) return STELE_OK;
  r.bytes = st_alloc(24 + pages->size);
  bool good = r.bytes && read_frames(&r, pages->log, pages->size, &whole, &count);
  if (good && whole && count < UINT32_MAX / 8) good = use_frames(&r, whole, count, pages);
  st_free(r.bytes);
  st_free(r.frames);
  return good ? STELE_OK : no_memory(problem);
}

/* ---- The size of its pages ---- */

static void read_header(st_pages *pages) {
  unsigned char head[100];
  uint32_t size;
  pages->header = read_at(pages->fd, head, sizeof head, 0) && memcmp(head, "SQLite format 3", 16) == 0;
  if (!pages->header) return;
  size = st_two_bytes(head + 16) == 1 ? LARGEST : st_two_bytes(head + 16);
  pages->header = is_size(size) && size - head[20] >= 480 && head[21] == 64 && head[22] == 32 && head[23] == 32;
  if (!pages->header) return;
  pages->size = size;
  pages->usable = size - head[20];
  pages->free_list = st_four_bytes(head + 32);
  pages->pointer_map = st_four_bytes(head + 52) != 0;
}

/* How many of the first bytes are pages of trees, if pages are of that size. */
static int64_t bytes_of_pages(st_pages *pages, uint32_t size, unsigned char *bytes) {
  int64_t found = 0;
  st_pages as = {.fd = pages->fd, .log = -1, .size = size, .usable = size, .count = UINT32_MAX};
  for (uint32_t n = 2; n < (64u << 20) / size && read_at(pages->fd, bytes, size, (int64_t)(n - 1) * size); n++) {
    st_tree_page page;
    st_cell cell;
    uint32_t good = 0, end = 0;
    if (!st_tree_page_read(&as, n, bytes, &page) || !page.cells) continue;
    while (good < page.cells && st_tree_cell(&as, &page, good, &cell)) {
      uint32_t after = cell.local ? (uint32_t)(cell.local - bytes) + cell.local_size + (cell.overflow ? 4 : 0) : 0;
      if (after > end) end = after;
      good++;
    }
    if (good == page.cells && (end == size || page.kind == ST_TABLE_INNER)) found += size; /* cells are filed from the end on */
  }
  return found;
}

/* False: no memory. */
static bool guess_size(st_pages *pages) {
  static const uint32_t sizes[] = {4096, 8192, 16384, 32768, 65536, 2048, 1024, 512}; /* the usual one first */
  unsigned char *bytes = st_alloc(LARGEST);
  int64_t most = 0;
  if (!bytes) return false;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    int64_t found = bytes_of_pages(pages, sizes[i], bytes);
    if (found > most) most = found, pages->size = sizes[i];
  }
  st_free(bytes);
  return true;
}

/* ---- Open, read, close ---- */

stele_status st_pages_open(int fd, const char *log, st_pages *out, char problem[ST_PROBLEM_MAX]) {
  struct stat about;
  *out = (st_pages){.fd = fd, .log = -1};
  if (fstat(fd, &about) != 0) return st_file_failed("the file", problem);
  read_header(out);
  stele_status status = log ? read_log(log, out, problem) : STELE_OK;
  if (status == STELE_OK && !out->size && !guess_size(out)) status = no_memory(problem);
  if (status != STELE_OK) return st_pages_close(out), status;
  if (!out->usable) out->usable = out->size;
  if (!out->size) {
    snprintf(problem, ST_PROBLEM_MAX, "nothing in it looks like a page of a database");
    st_pages_close(out);
    return STELE_CORRUPT;
  }
  int64_t pages = (about.st_size + out->size - 1) / out->size;
  if (!out->in_log) out->count = pages > UINT32_MAX - 1 ? UINT32_MAX - 1 : (uint32_t)pages;
  return STELE_OK;
}

void st_pages_close(st_pages *pages) {
  if (pages->log >= 0) close(pages->log);
  st_free(pages->in_log);
  pages->log = -1;
  pages->in_log = NULL;
}

static bool read_part(const st_pages *pages, uint32_t number, uint32_t from, size_t size, unsigned char *out) {
  if (!number || number > pages->count) return false;
  if (pages->in_log && pages->in_log[number]) return read_at(pages->log, out, size, pages->in_log[number] + from);
  return read_at(pages->fd, out, size, (int64_t)(number - 1) * pages->size + from);
}

bool st_pages_read(const st_pages *pages, uint32_t number, unsigned char *out) { return read_part(pages, number, 0, pages->size, out); }

uint32_t st_pages_parent(const st_pages *pages, uint32_t number) {
  enum { INNER_OR_LEAF = 5 };
  uint32_t each = pages->usable / 5 + 1; /* a page of the map, and those it tells of */
  uint32_t map = (number - 2) / each * each + 2;
  unsigned char entry[5];
  if (!pages->pointer_map || number <= 2 || map == number) return 0;
  bool read = read_part(pages, map, 5 * (number - map - 1), sizeof entry, entry);
  return read && entry[0] == INNER_OR_LEAF ? st_four_bytes(entry + 1) : 0;
}
