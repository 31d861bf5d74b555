/* batch.h - what was read and is to be written in one transaction, and how it gets from the thread that
** reads to the one that writes.
**
** The writing thread hands out jobs (files) and takes batches; both wait in short queues, so that neither
** runs far ahead and memory stays bounded. */
#ifndef ST_BATCH_H
#define ST_BATCH_H

#include <pthread.h>

#include "base/arena.h"
#include "capture/reader.h"
#include "capture/segmenter.h"

#define ST_BATCH_FIRST 125   /* records of the first batch, so that something can be found soon; each later one has */
#define ST_BATCH_RECORDS 2000 /* twice as many, up to this */
#define ST_BATCH_BYTES ((size_t)8 << 20) /* of texts; the record that exceeds it is the batch's last */
#define ST_BATCHES 3                     /* in all: one being filled, one waiting, one being written */
#define ST_JOBS 64                       /* files that may wait to be read */

/* A file to read, and what is known of it from before. */
typedef struct st_job st_job;
struct st_job {
  st_job *next; /* of those that a batch finishes */
  const st_reader *reader;
  char *path;
  size_t under; /* where in path the part below its root begins */
  int64_t id;   /* in the store; 0: it is not known there */
  int64_t device, inode;  /* when it was last read */
  int64_t size, modified; /* now; in bytes and nanoseconds */
  int64_t consumed, records;
  uint64_t checked;
  char *state;
  size_t state_length;
  bool captured;  /* the capture store has come as far as the conversation store: what follows is true of both */
  char *segments; /* the segment that is open there; NULL: none */
};

void st_job_free(st_job *job);

/* How far a file was read, when the items before this one are written. */
typedef struct st_reached {
  int64_t device, inode, size, modified;
  int64_t consumed, records;
  uint64_t checked;
  st_text state, problem;
  int64_t bad, aside;
  bool unfinished; /* it ends in the middle of a line */
  bool anew; /* the first mark of a file that was read from its start */
  bool done; /* the file's last */
  st_text segments; /* the open segment; none: there is none */
  st_text session;  /* whose segments they are; */
  int64_t nsegments; /* of a file that was read to its end: how many it has */
} st_reached;

typedef enum st_item_kind {
  ST_ITEM_SESSION,
  ST_ITEM_MESSAGE,
  ST_ITEM_USAGE,
  ST_ITEM_WITHDRAW,
  ST_ITEM_TITLE,
  ST_ITEM_SEGMENT, /* these two are for the capture store */
  ST_ITEM_CALL,
  ST_ITEM_MARK
} st_item_kind;

typedef struct st_item st_item;
struct st_item {
  st_item *next;
  st_item_kind kind;
  st_job *job;
  st_text session; /* whose */
  union {
    st_told_session told;
    st_told_message message;
    st_told_usage usage;
    int64_t count; /* WITHDRAW */
    struct {
      st_text key, title;
    };
    const st_segment_row *segment;
    const st_tool_row *call;
    st_reached mark;
  };
};

/* A bad place, for people. */
typedef struct st_problem st_problem;
struct st_problem {
  st_problem *next;
  const char *text;
};

/* What a rule removed. */
typedef struct st_removal st_removal;
struct st_removal {
  st_removal *next;
  const char *rule;
  int64_t count;
};

typedef struct st_batch {
  st_arena arena; /* holds all of it */
  st_item *first, *last;
  st_problem *problems, *last_problem;
  st_removal *removals;
  st_job *finished; /* read to their ends; freed when the batch is written */
  int64_t records; /* told so far */
  int64_t bytes;   /* read from files */
  int64_t aside, bad, redacted, ignored, unfinished;
  bool end;   /* there is none after it */
  bool nomem; /* and that is why */
} st_batch;

typedef struct st_channel {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  st_batch batches[ST_BATCHES];
  st_batch *empty[ST_BATCHES], *full[ST_BATCHES];
  int nempty, nfull;
  st_job *jobs[ST_JOBS];
  int first_job, njobs;
  st_job *unfinished; /* the one that was being read when nobody wanted more */
  bool closed;  /* no more jobs */
  bool stopped; /* nobody wants more batches */
} st_channel;

bool st_channel_init(st_channel *channel);
void st_channel_free(st_channel *channel); /* both threads are done with it */

/* The writer's side.  A job handed out is the reader's until its last mark has been written, or the end. */
typedef enum st_turn_of { ST_TAKE_BATCH, ST_GIVE_JOB } st_turn_of;
/* Wait until there is a batch, or (if there are more jobs) room for one. */
st_turn_of st_channel_wait(st_channel *channel, bool more_jobs, st_batch **batch);
void st_channel_give_job(st_channel *channel, st_job *job);
void st_channel_close(st_channel *channel);
void st_channel_stop(st_channel *channel);
void st_channel_written(st_channel *channel, st_batch *batch);

/* The reader's side; NULL: there are no more, or nobody wants them. */
st_job *st_channel_next_job(st_channel *channel);
st_batch *st_channel_empty_batch(st_channel *channel);
void st_channel_send(st_channel *channel, st_batch *batch);
bool st_channel_is_stopped(st_channel *channel);

#endif
