/* filling.h - a store of many messages: written as `stele import` sends them, and what it then takes up on the disk. */
#ifndef BENCH_FILLING_H
#define BENCH_FILLING_H

#include "conversation/messages.h"

/* At least that many messages, in whole batches of sessions. */
unsigned bench_whole_batches(unsigned rows);
/* Imported in batches of about a megabyte, or of a session if that is longer.  Answers the seconds; making the JSON is not part of them, reading it is. */
double bench_fill(stele_db *db, unsigned rows);

/* Bytes of what can be searched in the first messages; bytes of the files in a directory whose names begin so. */
double bench_raw_bytes(unsigned rows);
double bench_bytes_in(const char *dir, const char *prefix);

#endif
