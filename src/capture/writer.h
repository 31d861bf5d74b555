/* writer.h - the writing side of an import: a batch becomes rows, counters and marks in one transaction. */
#ifndef ST_WRITER_H
#define ST_WRITER_H

#include "capture/batch.h"
#include "capture/numbers.h"
#include "engine/call.h"

typedef struct st_counted {
  int64_t sessions, messages, updated, removed;
} st_counted;

typedef struct st_writer {
  st_call *call;
  bool again;          /* make sessions again that were deleted */
  st_counted counted;  /* in transactions that were committed */
  st_numbers removed;  /* sessions that were deleted, told once each */
  st_numbers awaited;  /* messages that a title waits for */
  bool due;            /* titles are to be looked for at the end */
} st_writer;

/* Once, before the first batch. */
void st_writer_begin(st_writer *writer);
/* In one transaction, tried again after a conflict. */
void st_writer_write(st_writer *writer, st_batch *batch);
/* Once, after the last: titles find their sessions. */
void st_writer_end(st_writer *writer);
void st_writer_free(st_writer *writer);

#endif
