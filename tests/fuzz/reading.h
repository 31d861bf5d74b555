/* reading.h - what the fuzzers of readers share: any bytes as a file, with the promises of told.h checked. */
#ifndef FUZZ_READING_H
#define FUZZ_READING_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/drive.h"
#include "capture/heard.h"
#include "fuzz/target.h"

/* A copy that ends where the bytes end, so that a step beyond is seen. */
static inline void hear(heard *h, drive *d, const char *bytes, size_t length, int64_t first) {
  char *exact = malloc(length ? length : 1);
  memcpy(exact, bytes, length);
  must(drive_bytes(d, exact, length, first), "the reader stopped by itself");
  must(!h->wrong, h->wrong);
  free(exact);
}

/* As one file, and as one that grew after some line: what is told must be the same. */
static inline void read_both_ways(const st_reader *reader, const char *path, const uint8_t *data, size_t size) {
  const char *bytes = (const char *)data;
  heard whole, pieces;
  drive d;
  heard_open(&whole);
  drive_open(&d, reader, path, 1770000000, &whole.taker);
  hear(&whole, &d, bytes, size, 0);
  drive_close(&d);
  const char *cut = size ? memchr(bytes + size / 2, '\n', size - size / 2) : NULL;
  if (cut) {
    size_t first = (size_t)(cut + 1 - bytes);
    int64_t lines = 0;
    for (size_t i = 0; i < first; i++) lines += bytes[i] == '\n';
    heard_open(&pieces);
    drive_open(&d, reader, path, 1770000000, &pieces.taker);
    hear(&pieces, &d, bytes, first, 0);
    hear(&pieces, &d, bytes + first, size - first, lines);
    must(whole.log.length == pieces.log.length && memcmp(whole.log.text, pieces.log.text, whole.log.length) == 0,
         "a file that grew tells something else");
    drive_close(&d);
    heard_close(&pieces);
  }
  heard_close(&whole);
}

#endif
