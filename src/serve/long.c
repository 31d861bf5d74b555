/* long.c - see long.h. */
#include "long.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "server.h"

struct sv_longs {
  sv_server *server;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int64_t threads;
  int64_t running; /* of their calls: a thread outlives the answer that it gave */
  atomic_bool closing;
};

typedef struct task {
  sv_longs *longs;
  sv_call *call;
} task;

/* For stele_options.progress: non-zero stops the work. */
static int on_progress(void *user, const char *what, int64_t done, int64_t total) {
  task *t = user;
  if (t->call->progress) t->call->progress(t->call, what, done, total);
  return t->longs->closing || (t->call->wanted && !t->call->wanted(t->call));
}

/* Who has the answer may call again: so there is room before it is given. */
static void end_call(sv_longs *longs) {
  pthread_mutex_lock(&longs->mutex);
  longs->running--;
  pthread_mutex_unlock(&longs->mutex);
}

static void leave(sv_longs *longs) {
  pthread_mutex_lock(&longs->mutex);
  longs->threads--;
  pthread_cond_broadcast(&longs->changed);
  pthread_mutex_unlock(&longs->mutex);
}

static void *run(void *argument) {
  task *t = argument;
  sv_longs *longs = t->longs;
  stele_options place = longs->server->place;
  stele_db *db = NULL;
  place.progress = on_progress;
  place.user = t;
  stele_open(&place, &db);
  sv_call_run(t->call, db);
  if (t->call->failure.status == STELE_OK && longs->server->committed)
    longs->server->committed(longs->server, t->call->method->store);
  end_call(longs);
  t->call->done(t->call);
  stele_close(db);
  free(t);
  leave(longs);
  return NULL;
}

sv_longs *sv_longs_open(sv_server *server) {
  sv_longs *longs = calloc(1, sizeof *longs);
  if (!longs) return NULL;
  longs->server = server;
  pthread_mutex_init(&longs->mutex, NULL);
  pthread_cond_init(&longs->changed, NULL);
  return longs;
}

static bool enter(sv_longs *longs) {
  pthread_mutex_lock(&longs->mutex);
  bool room = longs->running < longs->server->limits.long_calls && !longs->closing;
  longs->running += room;
  longs->threads += room;
  pthread_mutex_unlock(&longs->mutex);
  return room;
}

static bool start(sv_longs *longs, sv_call *call) {
  pthread_t thread;
  task *t = malloc(sizeof *t);
  if (!t) return false;
  *t = (task){longs, call};
  if (pthread_create(&thread, NULL, run, t) != 0) {
    free(t);
    return false;
  }
  pthread_detach(thread);
  return true;
}

void sv_long_submit(sv_longs *longs, sv_call *call) {
  bool room = enter(longs);
  if (room && start(longs, call)) return;
  if (room) end_call(longs);
  if (room) leave(longs);
  sv_failure_set(&call->failure, STELE_BUSY, call->method->name, "call again in a moment",
                 "%s: too many long calls are under way", call->method->name);
  call->done(call);
}

void sv_longs_close(sv_longs *longs) {
  if (!longs) return;
  pthread_mutex_lock(&longs->mutex);
  longs->closing = true;
  while (longs->threads > 0) pthread_cond_wait(&longs->changed, &longs->mutex);
  pthread_mutex_unlock(&longs->mutex);
  pthread_cond_destroy(&longs->changed);
  pthread_mutex_destroy(&longs->mutex);
  free(longs);
}
