/* pipe.c - see pipe.h. */
#include "pipe.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

#define BLOCK (32 << 10)

struct sv_pipe {
  pthread_mutex_t mutex;
  struct MHD_Connection *connection;
  sv_peer *peer;
  sv_text text; /* what waits begins at `taken` */
  size_t taken, room;
  bool ended, broken, gone, waiting;
  int owners;
  sv_pipe_event *event; /* NULL: the maker has gone */
  void *user;
};

sv_pipe *sv_pipe_new(sv_exchange *exchange, size_t room, sv_pipe_event *event, void *user) {
  sv_pipe *pipe = calloc(1, sizeof *pipe);
  if (!pipe) return NULL;
  pthread_mutex_init(&pipe->mutex, NULL);
  pipe->connection = exchange->connection;
  pipe->peer = exchange->peer;
  pipe->room = room;
  pipe->owners = 1;
  pipe->event = event;
  pipe->user = user;
  return pipe;
}

static size_t waiting_bytes(const sv_pipe *pipe) {
  return pipe->text.length - pipe->taken;
}

/* With the mutex held on entry; not on return. */
static void leave(sv_pipe *pipe) {
  bool last = --pipe->owners == 0;
  pthread_mutex_unlock(&pipe->mutex);
  if (!last) return;
  sv_text_free(&pipe->text);
  pthread_mutex_destroy(&pipe->mutex);
  free(pipe);
}

/* ---- The connection's side ---- */

static ssize_t take(void *user, uint64_t position, char *to, size_t most) {
  sv_pipe *pipe = user;
  (void)position;
  pthread_mutex_lock(&pipe->mutex);
  size_t length = waiting_bytes(pipe) < most ? waiting_bytes(pipe) : most;
  ssize_t answer = (ssize_t)length;
  bool was_full = waiting_bytes(pipe) > pipe->room / 2, tell = false;
  if (length > 0) {
    memcpy(to, pipe->text.bytes + pipe->taken, length);
    pipe->taken += length;
    if (pipe->taken == pipe->text.length) pipe->taken = pipe->text.length = 0;
    tell = was_full && waiting_bytes(pipe) <= pipe->room / 2;
    sv_peer_phase(pipe->peer, SV_SENDING);
  } else if (pipe->ended) {
    answer = pipe->broken ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
  } else {
    pipe->waiting = true;
    sv_peer_phase(pipe->peer, SV_WORKING); /* it is we who keep it waiting */
    MHD_suspend_connection(pipe->connection);
  }
  if (tell && pipe->event) pipe->event(pipe->user, false);
  pthread_mutex_unlock(&pipe->mutex);
  return answer;
}

static void taken_away(void *user) {
  sv_pipe *pipe = user;
  pthread_mutex_lock(&pipe->mutex);
  pipe->gone = true;
  if (pipe->event) pipe->event(pipe->user, true);
  leave(pipe);
}

struct MHD_Response *sv_pipe_response(sv_pipe *pipe) {
  struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, take, pipe, taken_away);
  if (response) pipe->owners++;
  return response;
}

/* ---- The maker's side ---- */

static void wake(sv_pipe *pipe) {
  if (!pipe->waiting || pipe->gone) return;
  pipe->waiting = false;
  sv_peer_phase(pipe->peer, SV_SENDING);
  MHD_resume_connection(pipe->connection);
}

bool sv_pipe_put(sv_pipe *pipe, const char *bytes, size_t length) {
  pthread_mutex_lock(&pipe->mutex);
  if (pipe->taken > pipe->room) { /* what was taken makes room */
    memmove(pipe->text.bytes, pipe->text.bytes + pipe->taken, waiting_bytes(pipe));
    pipe->text.length -= pipe->taken;
    pipe->taken = 0;
  }
  sv_add(&pipe->text, bytes, length);
  wake(pipe);
  bool good = !pipe->gone && !pipe->text.failed;
  pthread_mutex_unlock(&pipe->mutex);
  return good;
}

bool sv_pipe_full(sv_pipe *pipe) {
  pthread_mutex_lock(&pipe->mutex);
  bool full = waiting_bytes(pipe) >= pipe->room && !pipe->gone;
  pthread_mutex_unlock(&pipe->mutex);
  return full;
}

void sv_pipe_end(sv_pipe *pipe, bool broken) {
  pthread_mutex_lock(&pipe->mutex);
  pipe->ended = true;
  pipe->broken = broken;
  wake(pipe);
  pthread_mutex_unlock(&pipe->mutex);
}

void sv_pipe_release(sv_pipe *pipe) {
  pthread_mutex_lock(&pipe->mutex);
  pipe->event = NULL;
  leave(pipe);
}
