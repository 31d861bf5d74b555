/* writer.h - a process that writes until it is killed. */
#ifndef ST_KILL_WRITER_H
#define ST_KILL_WRITER_H

#include "kill/op.h"
#include "kill/place.h"

typedef enum bug { BUG_NONE, BUG_DROPPED_ROLLBACK, BUG_EARLY_ACK } bug;

typedef struct writer {
  const place *place;
  int cycle, number;
  uint64_t random; /* state of its generator */
  int pipe;        /* where its messages go */
  int quota;       /* operations until it ends by itself; 0: it never does */
  bug bug;

  stele_db *db;
  stele_db *queue, *other; /* made when first needed: one with a queue, and one more without */
  int64_t listener, job, session;
  op op; /* the present one */
} writer;

/* Write until the quota is reached.  If something goes wrong it is told, and the process ends. */
void writer_run(writer *w);

#endif
