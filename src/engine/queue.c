/* queue.c - records on their way into batches.  See queue.h.
**
** A record is kept as the JSON of its arguments.  The thread takes up to a hundred at a time and
** hands them to the method that writes many at once, through a handle of its own. */
#include "engine/queue.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/time.h"
#include "engine/reply.h"

#define BATCH 100
#define TRIES 4          /* the first, and three more after 1, 2 and 3 seconds */
#define RECORD_MAX (8u << 20)

typedef struct record {
  const st_method *method;
  char *json;
} record;

struct st_queue {
  stele_db *writer;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  record *records; /* a ring */
  int capacity, first, count;
  int flush_ms;
  int64_t oldest_ms; /* when the first waiting record came */
  bool flush, closing, writing;
  int64_t give_up_ms; /* closing: when to drop what is left */
  st_queue_counts counts;
};

static void wait_until(st_queue *queue, int64_t monotonic_ms) {
  struct timespec until = {monotonic_ms / 1000, (monotonic_ms % 1000) * 1000000};
  pthread_cond_timedwait(&queue->changed, &queue->mutex, &until);
}

/* The batch as the arguments of its method: one list per kind of record. */
static char *batch_json(const record *batch, int count) {
  st_str out;
  st_str_init(&out, (size_t)BATCH * RECORD_MAX);
  st_str_addc(&out, '{');
  for (int i = 0; i < count; i++) {
    bool seen = false;
    for (int j = 0; j < i; j++) seen = seen || batch[j].method == batch[i].method;
    if (seen) continue;
    const st_method *target = &st_registry.methods[batch[i].method->batch_method];
    st_str_addf(&out, "%s\"%s\":[", i ? "," : "", target->public.params[batch[i].method->batch_param].name);
    for (int j = i; j < count; j++) {
      if (batch[j].method != batch[i].method) continue;
      if (j > i) st_str_addc(&out, ',');
      st_str_addz(&out, batch[j].json);
    }
    st_str_addc(&out, ']');
  }
  st_str_addc(&out, '}');
  return st_str_take(&out);
}

/* How many the reply says were dropped. */
static int64_t dropped_of(const char *reply) {
  st_arena arena;
  st_json_error error;
  st_arena_init(&arena, 1 << 16);
  const st_json *json = st_json_parse(&arena, reply, strlen(reply), 0, &error);
  const st_json *dropped = json ? st_json_get(json, "dropped") : NULL;
  int64_t count = dropped ? dropped->integer : 0;
  st_arena_free(&arena);
  return count;
}

/* Worth another try: what time may heal.  What may have been written is written again: a record twice is better than none. */
static bool passing(stele_status status) {
  static const uint64_t those = UINT64_C(1) << STELE_BUSY | UINT64_C(1) << STELE_CONFLICT | UINT64_C(1) << STELE_IO |
                                UINT64_C(1) << STELE_UNAVAILABLE | UINT64_C(1) << STELE_NOMEM | UINT64_C(1) << STELE_FULL |
                                UINT64_C(1) << STELE_INDOUBT;
  return those >> status & 1;
}

/* Closing, and the time for it is over. */
static bool gives_up(const st_queue *queue) { return queue->closing && st_monotonic_ms() >= queue->give_up_ms; }

/* Between two tries, with the mutex held; false when closing leaves no time for another. */
static bool pause_between(st_queue *queue, int tries) {
  int64_t until = st_monotonic_ms() + 1000 * tries;
  while (st_monotonic_ms() < until) {
    if (gives_up(queue)) return false;
    wait_until(queue, queue->closing && queue->give_up_ms < until ? queue->give_up_ms : until);
  }
  return true;
}

/* Write one batch, with the mutex held on entry and on return. */
static void write_batch(st_queue *queue, const record *batch, int count) {
  const char *method = st_registry.methods[batch[0].method->batch_method].public.name;
  stele_status status = STELE_NOMEM;
  for (int tries = 1; !gives_up(queue); tries++) {
    char *reply = NULL;
    pthread_mutex_unlock(&queue->mutex);
    char *json = batch_json(batch, count);
    if (json) status = stele_call(queue->writer, method, json, &reply);
    st_free(json);
    int64_t dropped = status == STELE_OK ? dropped_of(reply) : 0;
    stele_free(reply);
    pthread_mutex_lock(&queue->mutex);
    if (status == STELE_OK) {
      queue->counts.written += count - dropped;
      queue->counts.unknown += dropped;
      return;
    }
    if (!passing(status) || tries == TRIES || !pause_between(queue, tries)) break;
  }
  queue->counts.failed += count;
  pthread_mutex_unlock(&queue->mutex); /* whoever listens may use the handle */
  st_log(queue->writer, STELE_LOG_ERROR, "%d queued records were dropped: %s", count, queue->writer->error.message);
  pthread_mutex_lock(&queue->mutex);
}

/* Take records that go into the same batch method from the head of the ring. */
static int take_batch(st_queue *queue, record *batch) {
  int count = 0;
  while (queue->count > 0 && count < BATCH) {
    record *next = &queue->records[queue->first];
    if (count && next->method->batch_method != batch[0].method->batch_method) break;
    batch[count++] = *next;
    queue->first = (queue->first + 1) % queue->capacity;
    queue->count--;
  }
  return count;
}

static void *run(void *argument) {
  st_queue *queue = argument;
  record batch[BATCH];
  pthread_mutex_lock(&queue->mutex);
  for (;;) {
    while (queue->count == 0 && !queue->closing) pthread_cond_wait(&queue->changed, &queue->mutex);
    if (queue->count == 0) break;
    int64_t due = queue->oldest_ms + queue->flush_ms;
    while (queue->count < BATCH && !queue->flush && !queue->closing && st_monotonic_ms() < due) wait_until(queue, due);
    int count = take_batch(queue, batch);
    queue->oldest_ms = st_monotonic_ms();
    queue->writing = true;
    write_batch(queue, batch, count);
    for (int i = 0; i < count; i++) st_free(batch[i].json);
    queue->writing = false;
    if (queue->count == 0) queue->flush = false;
    pthread_cond_broadcast(&queue->changed);
  }
  pthread_mutex_unlock(&queue->mutex);
  return NULL;
}

st_queue *st_queue_open(stele_db *writer, int capacity, int flush_ms) {
  pthread_condattr_t clock;
  st_queue *queue = st_alloc_zero(sizeof *queue);
  record *records = st_alloc_zero((size_t)capacity * sizeof *records);
  if (!queue || !records) goto failed;
  queue->writer = writer;
  queue->records = records;
  queue->capacity = capacity;
  queue->flush_ms = flush_ms;
  pthread_mutex_init(&queue->mutex, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&queue->changed, &clock);
  pthread_condattr_destroy(&clock);
  if (pthread_create(&queue->thread, NULL, run, queue) == 0) return queue;
failed:
  st_free(records);
  st_free(queue);
  return NULL;
}

/* Put a record into the ring; false when it is full or there is no memory. */
static bool put(st_queue *queue, const st_method *method, char *json) {
  pthread_mutex_lock(&queue->mutex);
  bool room = json && queue->count < queue->capacity;
  if (room) {
    queue->records[(queue->first + queue->count) % queue->capacity] = (record){method, json};
    if (queue->count++ == 0) queue->oldest_ms = st_monotonic_ms();
    if (queue->count == 1 || queue->count == BATCH) pthread_cond_broadcast(&queue->changed);
  } else {
    queue->counts.overflow++;
  }
  pthread_mutex_unlock(&queue->mutex);
  return room;
}

void st_queue_add(st_queue *queue, st_call *call) {
  st_str json;
  st_str_init(&json, RECORD_MAX);
  st_reply_args(&json, call->method, call->args, call->arena);
  char *text = st_str_take(&json);
  bool queued = put(queue, call->method, text);
  if (!queued) st_free(text);
  st_value *reply = st_reply(call);
  int outcome = st_result_index(call->method, "outcome");
  if (reply && outcome >= 0) reply[outcome] = st_textz(queued ? "queued" : "dropped");
}

bool st_queue_flush(st_queue *queue, int wait_ms) {
  int64_t until = st_monotonic_ms() + wait_ms;
  pthread_mutex_lock(&queue->mutex);
  queue->flush = true;
  pthread_cond_broadcast(&queue->changed);
  while ((queue->count > 0 || queue->writing) && st_monotonic_ms() < until) wait_until(queue, until);
  bool empty = queue->count == 0 && !queue->writing;
  if (empty) queue->flush = false;
  pthread_mutex_unlock(&queue->mutex);
  return empty;
}

void st_queue_read(st_queue *queue, st_queue_counts *counts) {
  pthread_mutex_lock(&queue->mutex);
  *counts = queue->counts;
  counts->waiting = queue->count;
  pthread_mutex_unlock(&queue->mutex);
}

void st_queue_close(st_queue *queue, int wait_ms) {
  pthread_mutex_lock(&queue->mutex);
  queue->closing = true;
  queue->give_up_ms = st_monotonic_ms() + wait_ms;
  pthread_cond_broadcast(&queue->changed);
  pthread_mutex_unlock(&queue->mutex);
  pthread_join(queue->thread, NULL);
  stele_close(queue->writer);
  pthread_cond_destroy(&queue->changed);
  pthread_mutex_destroy(&queue->mutex);
  st_free(queue->records);
  st_free(queue);
}
