/* drive.h - a reader driven without the engine: bytes of a file to records and lines. */
#ifndef TEST_DRIVE_H
#define TEST_DRIVE_H

#include "capture/reader.h"

typedef struct drive {
  const st_reader *reader;
  st_source source;
  st_arena arena;
  st_str state;
} drive;

void drive_open(drive *d, const st_reader *reader, const char *path, double modified, st_taker *taker);
/* Everything in these bytes, from a line on that is number `first` + 1 in the file; then the end.  False: the taker
** wanted no more. */
bool drive_bytes(drive *d, const char *bytes, size_t length, int64_t first);
void drive_close(drive *d);

#endif
