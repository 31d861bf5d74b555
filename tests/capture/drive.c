/* drive.c - a reader driven without the engine (drive.h). */
#include "capture/drive.h"

#include <string.h>

#include "base/json_pull.h"

void drive_open(drive *d, const st_reader *reader, const char *path, double modified, st_taker *taker) {
  *d = (drive){.reader = reader};
  st_arena_init(&d->arena, (size_t)1 << 30);
  st_str_init(&d->state, (size_t)1 << 26);
  d->source = (st_source){.path = path, .under = path, .modified = modified, .taker = taker};
  d->source.arena = &d->arena;
  d->source.state = &d->state;
}

static bool give_records(drive *d, const char *at, const char *end) {
  for (d->source.piece = 0; at < end; d->source.piece++) {
    const char *why = NULL, *after = st_pull_skip(at, end, &why);
    if (!after) return d->source.taker->bad(d->source.taker, why);
    bool more = d->reader->record(&d->source, at, (size_t)(after - at));
    st_arena_reset(&d->arena);
    if (!more) return false;
    for (at = after; at < end && (*at == ' ' || *at == '\r' || *at == '\t'); at++) continue;
  }
  return true;
}

static bool is_plain(const drive *d) {
  size_t length = strlen(d->source.path);
  return d->reader->line && length > 4 && strcmp(d->source.path + length - 4, ".txt") == 0;
}

bool drive_bytes(drive *d, const char *bytes, size_t length, int64_t first) {
  const char *at = bytes, *end = bytes + length;
  d->source.record = first;
  if (d->reader->begin && !d->reader->begin(&d->source)) return false;
  while (at < end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *stop = newline ? newline : end;
    d->source.record++;
    bool more = is_plain(d) ? d->reader->line(&d->source, at, (size_t)(stop - at)) : give_records(d, at, stop);
    st_arena_reset(&d->arena);
    if (!more) return false;
    at = newline ? newline + 1 : end;
  }
  return d->reader->end ? d->reader->end(&d->source) : true;
}

void drive_close(drive *d) {
  st_arena_free(&d->arena);
  st_str_free(&d->state);
}
