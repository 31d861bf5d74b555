/* stream_zstd.h - the bytes of a .zst file, as if it were not compressed. */
#ifndef ST_STREAM_ZSTD_H
#define ST_STREAM_ZSTD_H

#include <stddef.h>
#include <sys/types.h>

typedef struct st_zstd st_zstd;

/* Read from a descriptor, which stays the caller's and stands at the start of the file.  A frame that needs more than
** 32 MB to be read back is refused: nobody compresses a transcript like that.  NULL: out of memory. */
st_zstd *st_zstd_open(int fd);

/* Up to `room` bytes.  0: the end.  -1: it cannot be read, and *why says why ("the file ends inside a frame").
** Several frames after each other are one text. */
ssize_t st_zstd_read(st_zstd *stream, char *out, size_t room, const char **why);

void st_zstd_close(st_zstd *stream);

#endif
