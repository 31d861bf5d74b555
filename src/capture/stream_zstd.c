/* stream_zstd.c - the bytes of a .zst file (stream_zstd.h). */
#define ZSTD_STATIC_LINKING_ONLY /* to give it our allocations */
#include "capture/stream_zstd.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"

#define WINDOW_LOG_MAX 25 /* 32 MB */
#define CHUNK 65536

struct st_zstd {
  int fd;
  ZSTD_DStream *frames;
  ZSTD_inBuffer in;
  size_t hint; /* 0: between two frames; the last byte of one is kept back until all of it was handed out */
  char chunk[CHUNK];
};

static void *take(void *opaque, size_t size) {
  (void)opaque;
  return st_alloc(size);
}

static void give(void *opaque, void *pointer) {
  (void)opaque;
  st_free(pointer);
}

st_zstd *st_zstd_open(int fd) {
  st_zstd *stream = st_alloc_zero(sizeof *stream);
  if (!stream) return NULL;
  stream->fd = fd;
  stream->frames = ZSTD_createDStream_advanced((ZSTD_customMem){.customAlloc = take, .customFree = give});
  if (!stream->frames || ZSTD_isError(ZSTD_DCtx_setParameter(stream->frames, ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
    st_zstd_close(stream);
    return NULL;
  }
  stream->in.src = stream->chunk;
  return stream;
}

/* More compressed bytes.  1: there are some, 0: the file has ended, -1: an error. */
static int refill(st_zstd *stream, const char **why) {
  ssize_t got;
  do got = read(stream->fd, stream->chunk, sizeof stream->chunk);
  while (got < 0 && errno == EINTR);
  if (got < 0) *why = strerror(errno);
  if (got <= 0) return (int)got;
  stream->in = (ZSTD_inBuffer){stream->chunk, (size_t)got, 0};
  return 1;
}

ssize_t st_zstd_read(st_zstd *stream, char *text, size_t room, const char **why) {
  ZSTD_outBuffer out = {text, room, 0};
  while (out.pos == 0 && room) {
    if (stream->in.pos == stream->in.size) {
      int more = refill(stream, why);
      if (more < 0) return -1;
      if (more == 0) {
        if (stream->hint == 0) return 0;
        *why = "the file ends inside a frame";
        return -1;
      }
    }
    stream->hint = ZSTD_decompressStream(stream->frames, &out, &stream->in);
    if (ZSTD_isError(stream->hint)) {
      *why = ZSTD_getErrorName(stream->hint);
      return -1;
    }
  }
  return (ssize_t)out.pos;
}

void st_zstd_close(st_zstd *stream) {
  if (!stream) return;
  if (stream->frames) ZSTD_freeDStream(stream->frames);
  st_free(stream);
}
