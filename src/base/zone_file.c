/* zone_file.c - TZif files (RFC 9636).
**
** A file has a block of 32-bit times and, from version 2 on, a second block of 64-bit times with the rule for
** what comes after; then only that one is read.  Nothing in it is trusted: a file is taken whole or not at all. */
#include "base/zone_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define FILE_MAX (256u << 10)           /* bytes; the largest there is has less than 4 KB */
#define TIME_MAX ((int64_t)1 << 59)     /* seconds either way; RFC 9636 has them end there */
#define OFFSET_MIN (-25 * 3600 + 1)     /* of RFC 9636 */
#define OFFSET_MAX (26 * 3600 - 1)
#define HEADER 44

typedef struct block {
  const uint8_t *bytes; /* where its data begin */
  size_t wide;          /* bytes of a time: 4 or 8 */
  uint32_t isutcnt, isstdcnt, leapcnt, timecnt, typecnt, charcnt;
} block;

/* size bytes, the first being the highest, as a signed number. */
static int64_t big_endian(const uint8_t *at, size_t size) {
  uint64_t value = at[0] & 0x80 ? UINT64_MAX : 0;
  for (size_t i = 0; i < size; i++) value = value << 8 | at[i];
  return (int64_t)value;
}

static size_t data_size(const block *b) {
  return (size_t)b->timecnt * (b->wide + 1) + (size_t)b->typecnt * 6 + b->charcnt + (size_t)b->leapcnt * (b->wide + 4) +
         b->isstdcnt + b->isutcnt;
}

/* Read a header and see that its data are there; *rest is what follows them. */
static bool read_block(const uint8_t *bytes, size_t length, size_t wide, block *out, size_t *rest) {
  uint32_t *const counts[] = {&out->isutcnt, &out->isstdcnt, &out->leapcnt, &out->timecnt, &out->typecnt, &out->charcnt};
  if (length < HEADER || memcmp(bytes, "TZif", 4) != 0) return false;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    int64_t count = big_endian(bytes + 20 + 4 * i, 4);
    if (count < 0 || count > FILE_MAX) return false;
    *counts[i] = (uint32_t)count;
  }
  out->bytes = bytes + HEADER;
  out->wide = wide;
  if (length - HEADER < data_size(out)) return false;
  *rest = length - HEADER - data_size(out);
  return true;
}

/* Offsets and times are in bounds, so that sums of them are; kinds exist; times rise. */
static bool fill(st_zone *zone, const block *b, uint8_t *kinds) {
  const uint8_t *times = b->bytes, *which = times + b->timecnt * b->wide, *types = which + b->timecnt;
  for (uint32_t i = 0; i < b->typecnt; i++) {
    int64_t offset = big_endian(types + 6 * i, 4);
    if (offset < OFFSET_MIN || offset > OFFSET_MAX) return false;
    zone->offsets[i] = (int)offset;
  }
  for (uint32_t i = 0; i < b->timecnt; i++) {
    zone->changes[i] = big_endian(times + i * b->wide, b->wide);
    if (zone->changes[i] < -TIME_MAX || zone->changes[i] > TIME_MAX || which[i] >= b->typecnt) return false;
    if (i > 0 && zone->changes[i] <= zone->changes[i - 1]) return false;
    kinds[i] = which[i];
  }
  return true;
}

/* The rule between two newlines; an empty one is none. */
static bool read_footer(const uint8_t *bytes, size_t length, st_zone *zone) {
  if (length < 2 || bytes[0] != '\n') return false;
  const uint8_t *end = memchr(bytes + 1, '\n', length - 1);
  if (!end) return false;
  size_t size = (size_t)(end - bytes) - 1;
  zone->has_rule = size > 0;
  return size == 0 || st_zone_rule_parse((const char *)bytes + 1, size, &zone->rule);
}

st_zone_status st_zone_read(const void *file, size_t length, st_zone **out) {
  const uint8_t *bytes = file;
  block b;
  size_t rest;
  *out = NULL;
  if (!read_block(bytes, length, 4, &b, &rest)) return ST_ZONE_DAMAGED;
  bool has_footer = bytes[4] >= '2';
  if (has_footer && !read_block(bytes + length - rest, rest, 8, &b, &rest)) return ST_ZONE_DAMAGED;
  if (b.typecnt == 0 || b.typecnt > 256 || b.leapcnt > 0) return ST_ZONE_DAMAGED;
  st_zone *zone = st_alloc_zero(sizeof *zone + b.timecnt * (sizeof *zone->changes + 1));
  if (!zone) return ST_ZONE_NOMEM;
  uint8_t *kinds = (uint8_t *)(zone->changes + b.timecnt);
  zone->nchanges = b.timecnt;
  zone->kinds = kinds;
  if (!fill(zone, &b, kinds) || (has_footer && !read_footer(bytes + length - rest, rest, zone))) {
    st_zone_free(zone);
    return ST_ZONE_DAMAGED;
  }
  *out = zone;
  return ST_ZONE_OK;
}

void st_zone_free(st_zone *zone) {
  st_free(zone);
}

/* ---- Files ---- */

/* As much as there is, up to room bytes; -1 when it cannot be read. */
static ssize_t read_all(int fd, char *to, size_t room) {
  size_t total = 0;
  while (total < room) {
    ssize_t got = read(fd, to + total, room - total);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    total += (size_t)got;
  }
  return (ssize_t)total;
}

static st_zone_status read_open(int fd, st_zone **out) {
  struct stat is;
  if (fstat(fd, &is) != 0) return ST_ZONE_DAMAGED;
  if (S_ISDIR(is.st_mode)) return ST_ZONE_UNKNOWN; /* "Europe" */
  if (!S_ISREG(is.st_mode) || is.st_size > (off_t)FILE_MAX) return ST_ZONE_DAMAGED;
  char *bytes = st_alloc((size_t)is.st_size + 1);
  if (!bytes) return ST_ZONE_NOMEM;
  ssize_t length = read_all(fd, bytes, (size_t)is.st_size);
  st_zone_status status = length < 0 ? ST_ZONE_DAMAGED : st_zone_read(bytes, (size_t)length, out);
  st_free(bytes);
  return status;
}

st_zone_status st_zone_file_load(const char *directory, const char *name, st_zone **out) {
  char path[1024];
  int length = snprintf(path, sizeof path, "%s/%s", directory, name);
  if (length < 0 || (size_t)length >= sizeof path) return ST_ZONE_UNKNOWN;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    if (errno != ENOENT && errno != ENOTDIR) return ST_ZONE_DAMAGED;
    return access(directory, X_OK) == 0 ? ST_ZONE_UNKNOWN : ST_ZONE_NO_DATA;
  }
  st_zone_status status = read_open(fd, out);
  close(fd);
  return status;
}
