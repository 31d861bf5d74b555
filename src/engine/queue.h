/* queue.h - for callers that must not wait: a bounded queue of records, and a thread that writes
** them in batches.  A record that cannot be kept is dropped and counted, by cause. */
#ifndef ST_QUEUE_H
#define ST_QUEUE_H

#include "engine/handle.h"

typedef struct st_queue_counts {
  int64_t written;
  int64_t overflow; /* the queue was full */
  int64_t unknown;  /* a parent did not exist */
  int64_t failed;   /* writing failed after several tries */
  int64_t waiting;  /* not written yet */
} st_queue_counts;

/* Start the queue of a handle.  writer: a second handle, which becomes the queue's. */
st_queue *st_queue_open(stele_db *writer, int capacity, int flush_ms);

/* Queue a call of a queueable method, and reply to it. */
void st_queue_add(st_queue *queue, st_call *call);

/* Wait until everything queued before now is written or dropped, at most wait_ms. */
bool st_queue_flush(st_queue *queue, int wait_ms);
void st_queue_read(st_queue *queue, st_queue_counts *counts);

/* Take no more, write the rest (at most wait_ms long), stop the thread. */
void st_queue_close(st_queue *queue, int wait_ms);

#endif
