/* pool.c - see pool.h. */
#include "pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "long.h"
#include "server.h"
#include "writer.h"

#define LEAST_WORKERS 2
#define MOST_WORKERS 8

struct sv_pool {
  sv_server *server;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  sv_work *first, *last;
  bool closing;
  size_t nthreads;
  pthread_t threads[];
};

static sv_work *take(sv_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  while (!pool->first && !pool->closing) pthread_cond_wait(&pool->changed, &pool->mutex);
  sv_work *work = pool->first;
  if (work) pool->first = work->next;
  if (!pool->first) pool->last = NULL;
  pthread_mutex_unlock(&pool->mutex);
  return work;
}

/* A handle that cannot be opened tells so at every call: that is what the client gets to read. */
static void *run(void *argument) {
  sv_pool *pool = argument;
  sv_worker worker = {.server = pool->server};
  sv_work *work;
  worker.reader = sv_server_open(pool->server, STELE_OPEN_READONLY);
  worker.full = sv_server_open(pool->server, 0);
  while ((work = take(pool)) != NULL) work->run(work, &worker);
  stele_finalize(worker.tokens);
  stele_close(worker.reader);
  stele_close(worker.full);
  return NULL;
}

static size_t workers(const sv_server *server) {
  long found = sysconf(_SC_NPROCESSORS_ONLN);
  if (server->limits.workers > 0) return (size_t)server->limits.workers;
  return found < LEAST_WORKERS ? LEAST_WORKERS : found > MOST_WORKERS ? MOST_WORKERS : (size_t)found;
}

sv_pool *sv_pool_open(sv_server *server) {
  size_t wanted = workers(server);
  sv_pool *pool = calloc(1, sizeof *pool + wanted * sizeof *pool->threads);
  if (!pool) return NULL;
  pool->server = server;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->changed, NULL);
  while (pool->nthreads < wanted && pthread_create(&pool->threads[pool->nthreads], NULL, run, pool) == 0)
    pool->nthreads++;
  if (pool->nthreads == wanted) return pool;
  sv_pool_close(pool);
  return NULL;
}

void sv_pool_submit(sv_pool *pool, sv_work *work) {
  work->next = NULL;
  pthread_mutex_lock(&pool->mutex);
  if (pool->last)
    pool->last->next = work;
  else
    pool->first = work;
  pool->last = work;
  pthread_cond_signal(&pool->changed);
  pthread_mutex_unlock(&pool->mutex);
}

void sv_pool_close(sv_pool *pool) {
  if (!pool) return;
  pthread_mutex_lock(&pool->mutex);
  pool->closing = true;
  pthread_cond_broadcast(&pool->changed);
  pthread_mutex_unlock(&pool->mutex);
  for (size_t i = 0; i < pool->nthreads; i++) pthread_join(pool->threads[i], NULL);
  pthread_cond_destroy(&pool->changed);
  pthread_mutex_destroy(&pool->mutex);
  free(pool);
}

static bool reads(const stele_method *method) {
  return strcmp(method->access, "read") == 0;
}

void sv_dispatch(sv_worker *worker, sv_call *call) {
  sv_server *server = worker->server;
  const stele_method *method = call->method;
  bool library = (method->flags & STELE_METHOD_LIBRARY) != 0, outside = (method->flags & STELE_METHOD_OUTSIDE) != 0;
  call->since_us = sv_now_us();
  if ((library && outside) || (!reads(method) && (library || outside))) { /* who asks a model may wait for minutes */
    sv_long_submit(server->longs, call);
  } else if (!reads(method) || (!library && !sv_writer_present(server->writers, method->store))) {
    sv_writer_submit(server->writers, call); /* a store that is not there yet is made by its writer */
  } else {
    sv_call_run(call, library || outside ? worker->full : worker->reader);
    call->done(call);
  }
}
