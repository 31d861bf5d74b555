/* op.h - what a writer does, and how it tells the one who will kill it.
**
** A writer numbers its operations.  It sends one message before each, and one after the reply has
** come: so it is known afterwards what was acknowledged, and what was under way. */
#ifndef ST_KILL_OP_H
#define ST_KILL_OP_H

#include <stdbool.h>
#include <stdint.h>

#define WRITERS_MAX 32
#define ITEMS_MAX 60 /* records of one operation: one bit each */

typedef enum op_kind {
  OP_LISTENER,   /* register the writer's listener, again and again */
  OP_JOB,        /* and its job */
  OP_SESSION,    /* start a session; the following ones are about it */
  OP_HEARTBEAT,
  OP_ERROR,
  OP_FINALIZE,
  OP_INVOCATION, /* one record */
  OP_EXECUTION,
  OP_BATCH,      /* several, by persist_batch */
  OP_GROUP,      /* several calls between begin and commit */
  OP_UNDONE,     /* several calls between begin and rollback */
  OP_QUEUE,      /* several through a queue, then a flush: the only one that is not all-or-nothing */
  OP_UPKEEP,     /* a method that finds nothing to do */
  OP_REFUSED,    /* a call that fails midway */
  OP_KINDS
} op_kind;

typedef struct op {
  op_kind kind;
  int number;      /* from 1 */
  int invocations; /* records of each sort */
  int executions;
  bool heartbeat;  /* of a group: it has one, too */
  bool done;       /* acknowledged */
  int64_t id;      /* that the reply told: of the listener, the job, the session */
} op;

typedef enum message_kind { MESSAGE_BEGUN, MESSAGE_DONE, MESSAGE_WRONG } message_kind;

/* Small enough for a pipe to take it whole. */
typedef struct message {
  message_kind kind;
  op op;
  char text[300]; /* of WRONG */
} message;

/* A time that tells which operation it is of: it is written where the store keeps one. */
static inline double op_stamp(int cycle, int writer, int number) { return cycle * 1e8 + writer * 1e6 + number; }
static inline int stamp_writer(double stamp) { return (int)((int64_t)stamp / 1000000 % 100); }
static inline int stamp_number(double stamp) { return (int)((int64_t)stamp % 1000000); }

/* The mark that each record carries: cycle, writer, operation, item. */
#define MARK_FORMAT "c%d.w%d.o%d.i%d"

#endif
