/* stream.c - see stream.h.
**
** A stream has a handle of its own, because its statement stays open between two visits of a worker:
** it is pumped until the pipe is full, parked, and pumped again when half of that was taken. */
#include "stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "pipe.h"
#include "server.h"

#define ROOM (256 << 10)
#define IDLE_HANDLES 4

enum { PUMPING, PARKED };

typedef struct stream {
  sv_work work; /* first */
  sv_server *server;
  sv_pipe *pipe;
  stele_db *db;
  stele_stmt *stmt;
  atomic_int state;
} stream;

struct sv_streams {
  sv_server *server;
  pthread_mutex_t mutex;
  stele_db *idle[IDLE_HANDLES];
  size_t nidle;
  atomic_llong count;
};

sv_streams *sv_streams_open(sv_server *server) {
  sv_streams *streams = calloc(1, sizeof *streams);
  if (!streams) return NULL;
  streams->server = server;
  pthread_mutex_init(&streams->mutex, NULL);
  return streams;
}

void sv_streams_close(sv_streams *streams) {
  if (!streams) return;
  while (streams->nidle) stele_close(streams->idle[--streams->nidle]);
  pthread_mutex_destroy(&streams->mutex);
  free(streams);
}

int64_t sv_streams_count(const sv_streams *streams) {
  return atomic_load(&streams->count);
}

static stele_db *borrow(sv_streams *streams) {
  stele_db *db = NULL;
  pthread_mutex_lock(&streams->mutex);
  if (streams->nidle) db = streams->idle[--streams->nidle];
  pthread_mutex_unlock(&streams->mutex);
  return db ? db : sv_server_open(streams->server, 0);
}

static void give_back(sv_streams *streams, stele_db *db) {
  pthread_mutex_lock(&streams->mutex);
  if (streams->nidle < IDLE_HANDLES) {
    streams->idle[streams->nidle++] = db;
    db = NULL;
  }
  pthread_mutex_unlock(&streams->mutex);
  stele_close(db);
}

static void finish(stream *s) {
  sv_streams *streams = s->server->streams;
  stele_finalize(s->stmt);
  give_back(streams, s->db);
  if (s->pipe) sv_pipe_release(s->pipe);
  atomic_fetch_sub(&streams->count, 1);
  free(s);
}

/* The current row into the pipe.  False: that is the end of the stream. */
static bool put_row(stream *s) {
  char *line = NULL;
  bool good = stele_row_json(s->stmt, &line) == STELE_OK;
  if (good) {
    size_t length = strlen(line);
    line[length] = '\n'; /* instead of the NUL: one write */
    good = sv_pipe_put(s->pipe, line, length + 1);
  }
  stele_free(line);
  return good;
}

/* Park, unless there is room again already; true: parked, or somebody else has it now. */
static bool park(stream *s) {
  int parked = PARKED;
  atomic_store(&s->state, PARKED);
  return sv_pipe_full(s->pipe) || !atomic_compare_exchange_strong(&s->state, &parked, PUMPING);
}

/* With a row at hand. */
static void pump(stream *s) {
  stele_status status = STELE_ROW;
  bool good = true;
  while (good && status == STELE_ROW) {
    good = put_row(s);
    if (good) status = stele_step(s->stmt);
    if (good && status == STELE_ROW && sv_pipe_full(s->pipe) && park(s)) return;
  }
  sv_pipe_end(s->pipe, status != STELE_DONE);
  finish(s);
}

static void run(sv_work *work, sv_worker *worker) {
  (void)worker;
  pump((stream *)work);
}

/* On the connection's thread: there is room, or nobody is there any more. */
static void on_pipe(void *user, bool gone) {
  stream *s = user;
  int parked = PARKED;
  (void)gone;
  if (atomic_compare_exchange_strong(&s->state, &parked, PUMPING)) sv_pool_submit(s->server->pool, &s->work);
}

/* Up to the first row, so that a call that fails is answered as such. */
static stele_status begin(stream *s, const sv_call *call) {
  stele_status status = s->db ? stele_prepare(s->db, call->method->name, &s->stmt) : STELE_NOMEM;
  if (status == STELE_OK) status = stele_bind_json(s->stmt, "", call->args);
  return status == STELE_OK ? stele_step(s->stmt) : status;
}

static bool enter(sv_streams *streams) {
  if (atomic_fetch_add(&streams->count, 1) < streams->server->limits.streams) return true;
  atomic_fetch_sub(&streams->count, 1);
  return false;
}

static void answer(sv_exchange *exchange, stream *s) {
  struct MHD_Response *response = NULL;
  s->pipe = sv_pipe_new(exchange, ROOM, on_pipe, s);
  if (s->pipe) response = sv_pipe_response(s->pipe);
  sv_answer_response(exchange, 200, response);
  sv_answer_header(exchange, "Content-Type", "application/x-ndjson");
  sv_answer_header(exchange, "Cache-Control", "no-store");
}

void sv_stream_answer(sv_exchange *exchange) {
  sv_server *server = exchange->server;
  stream *s = NULL;
  stele_status status = STELE_NOMEM;
  if (!enter(server->streams)) {
    sv_answer_problem(exchange, 503, STELE_BUSY, "call again in a moment", "too many streams are under way");
    sv_exchange_resume(exchange);
    return;
  }
  s = calloc(1, sizeof *s);
  if (s) {
    s->work.run = run;
    s->server = server;
    s->db = borrow(server->streams);
    status = begin(s, &exchange->call);
  }
  if (status == STELE_ROW || status == STELE_DONE) {
    answer(exchange, s);
  } else {
    sv_failure failure;
    sv_failure_copy(&failure, stele_error(s ? s->db : NULL));
    sv_answer_failure(exchange, &failure);
  }
  bool rows = status == STELE_ROW && exchange->response;
  if (s && s->pipe && !rows) sv_pipe_end(s->pipe, status != STELE_DONE);
  sv_exchange_resume(exchange); /* from here on the exchange is not ours */
  if (rows)
    pump(s);
  else if (s)
    finish(s);
  else
    atomic_fetch_sub(&server->streams->count, 1);
}
