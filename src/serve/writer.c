/* writer.c - see writer.h. */
#include "writer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "metrics.h"
#include "server.h"

#define STORES_MAX 16
#define TRIES 4 /* of a group, when PostgreSQL reports a conflict; then one call at a time */

typedef struct writer {
  sv_server *server;
  const char *store;
  stele_db *db;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  sv_call *first, *last;
  int64_t waiting;
  bool closing, running;
  atomic_bool present;
} writer;

struct sv_writers {
  size_t count;
  writer all[STORES_MAX];
};

/* ---- A group of calls ---- */

/* Such a failure may have ended the whole transaction, or be gone when the call is alone. */
static bool shakes_others(stele_status status) {
  switch (status) {
    case STELE_OK:
    case STELE_INVALID:
    case STELE_NOTFOUND:
    case STELE_DENIED:
    case STELE_FORMAT:
    case STELE_READONLY:
    case STELE_UNSUPPORTED:
    case STELE_HELD: return false;
    default: return true;
  }
}

static void run_each_alone(writer *w, sv_call *calls) {
  for (sv_call *call = calls; call; call = call->next) {
    sv_call_clear(call);
    sv_call_run(call, w->db);
  }
}

/* One transaction.  STELE_OK: committed.  STELE_CONFLICT: another try may do it.  Anything else has
** been written into the calls, or (STELE_MISUSE) they must be run one by one. */
static stele_status run_together(writer *w, sv_call *calls) {
  if (stele_begin(w->db, w->store) != STELE_OK) return STELE_MISUSE;
  for (sv_call *call = calls; call; call = call->next) {
    sv_call_clear(call);
    sv_call_run(call, w->db);
    if (!shakes_others(call->failure.status)) continue;
    stele_rollback(w->db);
    return STELE_MISUSE;
  }
  int64_t began = sv_now_us();
  stele_status status = stele_commit(w->db);
  sv_observe(w->server->metrics, SV_COMMIT, sv_now_us() - began);
  if (status == STELE_OK || status == STELE_CONFLICT) return status;
  for (sv_call *call = calls; call; call = call->next) {
    if (call->failure.status != STELE_OK) continue; /* it had failed before, by itself */
    sv_call_clear(call);
    sv_failure_copy(&call->failure, stele_error(w->db));
    strncpy(call->failure.method, call->method->name, sizeof call->failure.method - 1);
  }
  return status;
}

static void run_group(writer *w, sv_call *calls) {
  stele_status status = STELE_CONFLICT;
  if (!calls->next) {
    int64_t began = sv_now_us();
    sv_call_run(calls, w->db);
    sv_observe(w->server->metrics, SV_COMMIT, sv_now_us() - began);
    return;
  }
  for (int tries = 0; tries < TRIES && status == STELE_CONFLICT; tries++) status = run_together(w, calls);
  if (status == STELE_CONFLICT || status == STELE_MISUSE) run_each_alone(w, calls);
}

/* ---- The thread ---- */

/* Up to `most` calls from the head of the queue; NULL: closing, and there are none. */
static sv_call *take(writer *w, int64_t most) {
  int64_t count = 1;
  pthread_mutex_lock(&w->mutex);
  while (!w->first && !w->closing) pthread_cond_wait(&w->changed, &w->mutex);
  sv_call *calls = w->first, *end = calls;
  for (; end && end->next && count < most; count++) end = end->next;
  if (end) {
    w->first = end->next;
    w->waiting -= count;
    end->next = NULL;
  }
  if (!w->first) w->last = NULL;
  pthread_mutex_unlock(&w->mutex);
  return calls;
}

static void *run(void *argument) {
  writer *w = argument;
  sv_call *calls, *next;
  while ((calls = take(w, w->server->limits.group)) != NULL) {
    int64_t now = sv_now_us(), count = 0;
    for (sv_call *call = calls; call; call = call->next, count++)
      sv_observe(w->server->metrics, SV_WAIT, now - call->since_us);
    sv_count_group(w->server->metrics, count);
    run_group(w, calls);
    bool wrote = false;
    for (sv_call *call = calls; call; call = call->next) wrote = wrote || call->failure.status == STELE_OK;
    if (wrote) atomic_store(&w->present, true);
    if (wrote && w->server->committed) w->server->committed(w->server, w->store);
    for (sv_call *call = calls; call; call = next) {
      next = call->next;
      call->done(call);
    }
  }
  return NULL;
}

static writer *writer_of(const sv_writers *writers, const char *store) {
  for (size_t i = 0; i < writers->count; i++)
    if (strcmp(writers->all[i].store, store) == 0) return (writer *)&writers->all[i];
  return NULL;
}

void sv_writer_submit(sv_writers *writers, sv_call *call) {
  writer *w = writer_of(writers, call->method->store);
  call->next = NULL;
  pthread_mutex_lock(&w->mutex);
  bool room = w->waiting < w->server->limits.writes && !w->closing;
  if (room) {
    if (w->last)
      w->last->next = call;
    else
      w->first = call;
    w->last = call;
    w->waiting++;
    pthread_cond_signal(&w->changed);
  }
  pthread_mutex_unlock(&w->mutex);
  if (room) return;
  sv_failure_set(&call->failure, STELE_BUSY, call->method->name, "call again in a moment",
                 "%s: too many writes are waiting", call->method->name);
  call->done(call);
}

bool sv_writer_present(const sv_writers *writers, const char *store) {
  writer *w = writer_of(writers, store);
  return w && atomic_load_explicit(&w->present, memory_order_relaxed);
}

/* ---- Opening ---- */

/* Open a store that exists.  An empty transaction does it, and writes nothing. */
static bool open_existing(writer *w, sv_failure *failure) {
  stele_status status = stele_begin(w->db, w->store);
  if (status == STELE_OK) status = stele_rollback(w->db);
  if (status != STELE_OK) sv_failure_copy(failure, stele_error(w->db));
  atomic_store(&w->present, status == STELE_OK);
  return status == STELE_OK;
}

static bool add(sv_writers *writers, sv_server *server, const char *store, const char *state, sv_failure *failure) {
  writer *w = &writers->all[writers->count];
  bool there = strcmp(state, "absent") != 0 && strcmp(state, "fresh") != 0;
  w->server = server;
  w->store = server->stores[writers->count] = strdup(store);
  w->db = sv_server_open(server, 0);
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->changed, NULL);
  writers->count++;
  server->nstores = writers->count;
  if (w->store && w->db) return !there || open_existing(w, failure);
  sv_failure_set(failure, STELE_NOMEM, "", "", "out of memory");
  return false;
}

static bool add_all(sv_writers *writers, sv_server *server, sv_failure *failure) {
  stele_db *db = sv_server_open(server, STELE_OPEN_READONLY);
  stele_stmt *stmt = NULL;
  bool good = true;
  stele_status status = stele_prepare(db, "stele.status", &stmt);
  while (good && status == STELE_OK && stele_step(stmt) == STELE_ROW && writers->count < STORES_MAX)
    good = add(writers, server, stele_column_text(stmt, 0), stele_column_text(stmt, 3), failure);
  if (good && stele_error(db)->status != STELE_OK) {
    sv_failure_copy(failure, stele_error(db));
    good = false;
  }
  stele_finalize(stmt);
  stele_close(db);
  return good;
}

sv_writers *sv_writers_open(sv_server *server, sv_failure *failure) {
  sv_writers *writers = calloc(1, sizeof *writers);
  bool good = writers && add_all(writers, server, failure);
  for (size_t i = 0; good && i < writers->count; i++)
    good = writers->all[i].running = pthread_create(&writers->all[i].thread, NULL, run, &writers->all[i]) == 0;
  if (good) return writers;
  if (failure->status == STELE_OK) sv_failure_set(failure, STELE_NOMEM, "", "", "out of memory");
  sv_writers_close(writers);
  return NULL;
}

void sv_writers_close(sv_writers *writers) {
  for (size_t i = 0; writers && i < writers->count; i++) {
    writer *w = &writers->all[i];
    pthread_mutex_lock(&w->mutex);
    w->closing = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
    if (w->running) pthread_join(w->thread, NULL);
    stele_close(w->db);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->mutex);
  }
  free(writers);
}
