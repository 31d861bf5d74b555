/* follow.c - see follow.h.
**
** A store can be followed if it has the methods follow_from (the number of its newest row) and follow
** (the rows above a number).  One thread looks whether something is new: when a writer of this server
** has committed, and every now and then for what other processes wrote; while nobody follows it
** sleeps.  Every follower has its own number, so that a slow one is only late, and one that comes back
** with Last-Event-ID goes on where it was. */
#include "follow.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "metrics.h"
#include "pipe.h"
#include "server.h"

#define ROOM (64 << 10)
#define ROWS 100 /* per look and follower: nobody keeps the others waiting */

typedef struct follower follower;
struct follower {
  follower *next;
  sv_pipe *pipe;
  const stele_method *method; /* the store's follow */
  char *session;              /* only this one, or NULL */
  int64_t after;
  int64_t told_us; /* when it last got something */
  bool behind;     /* there may be more than was read */
  atomic_bool gone;
};

struct sv_followers {
  sv_server *server;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  follower *incoming; /* not yet taken over by the thread */
  bool closing, woken;
  stele_db *db;    /* the thread's */
  follower *first; /* the thread's */
  atomic_llong count;
};

/* ---- The thread ---- */

/* What is written to one client.  False: it has gone. */
static bool put_event(follower *f, stele_stmt *stmt) {
  char head[40], *row = NULL;
  sv_text event = {0};
  bool good = stele_row_json(stmt, &row) == STELE_OK;
  snprintf(head, sizeof head, "id: %lld\ndata: ", (long long)f->after);
  sv_addz(&event, head);
  sv_addz(&event, good ? row : "{}");
  sv_addz(&event, "\n\n");
  good = good && !event.failed && sv_pipe_put(f->pipe, event.bytes, event.length);
  sv_text_free(&event);
  stele_free(row);
  return good;
}

static void send_new(sv_followers *all, follower *f) {
  stele_stmt *stmt = NULL;
  int rows = 0;
  stele_status status = stele_prepare(all->db, f->method->name, &stmt);
  if (status == STELE_OK) status = stele_bind_int(stmt, "after", f->after);
  if (status == STELE_OK) status = stele_bind_int(stmt, "limit", ROWS);
  if (status == STELE_OK && f->session) status = stele_bind_text(stmt, "session", f->session, strlen(f->session));
  while (status == STELE_OK || status == STELE_ROW) {
    status = stele_step(stmt);
    if (status != STELE_ROW) break;
    f->after = stele_column_int(stmt, 0);
    rows++;
    if (!put_event(f, stmt)) atomic_store(&f->gone, true);
    if (f->gone || sv_pipe_full(f->pipe)) break;
  }
  stele_finalize(stmt);
  f->behind = rows == ROWS || status == STELE_ROW;
  if (rows) f->told_us = sv_now_us();
}

static void heartbeat(sv_followers *all, follower *f) {
  if (sv_now_us() - f->told_us < all->server->limits.heartbeat * 1000000) return;
  f->told_us = sv_now_us();
  if (!sv_pipe_full(f->pipe) && !sv_pipe_put(f->pipe, ":\n\n", 3)) atomic_store(&f->gone, true);
}

static void drop(sv_followers *all, follower *f) {
  sv_pipe_end(f->pipe, false);
  sv_pipe_release(f->pipe);
  atomic_fetch_sub(&all->count, 1);
  free(f->session);
  free(f);
}

/* One look for each.  True: some have more to read. */
static bool look(sv_followers *all) {
  bool behind = false;
  for (follower **at = &all->first; *at;) {
    follower *f = *at;
    if (!f->gone && !sv_pipe_full(f->pipe)) send_new(all, f);
    if (!f->gone) heartbeat(all, f);
    behind = behind || (f->behind && !sv_pipe_full(f->pipe));
    if (f->gone) {
      *at = f->next;
      drop(all, f);
    } else {
      at = &f->next;
    }
  }
  return behind;
}

static void wait_a_little(sv_followers *all) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  int64_t ns = until.tv_nsec + all->server->limits.poll * 1000000;
  until.tv_sec += ns / 1000000000;
  until.tv_nsec = ns % 1000000000;
  pthread_cond_timedwait(&all->changed, &all->mutex, &until);
}

/* With the mutex held: until there is something to look for. */
static void wait(sv_followers *all, bool behind) {
  while (!all->closing && !all->first && !all->incoming) pthread_cond_wait(&all->changed, &all->mutex);
  if (!all->closing && !all->woken && !all->incoming && !behind) wait_a_little(all);
  all->woken = false;
}

static void take_over(sv_followers *all) {
  while (all->incoming) {
    follower *f = all->incoming;
    all->incoming = f->next;
    f->next = all->first;
    all->first = f;
  }
}

static void *run(void *argument) {
  sv_followers *all = argument;
  bool behind = false;
  all->db = sv_server_open(all->server, STELE_OPEN_READONLY);
  pthread_mutex_lock(&all->mutex);
  while (!all->closing) {
    wait(all, behind);
    take_over(all);
    pthread_mutex_unlock(&all->mutex);
    behind = all->first && look(all);
    pthread_mutex_lock(&all->mutex);
  }
  take_over(all);
  pthread_mutex_unlock(&all->mutex);
  for (follower *f = all->first, *next; f; f = next) {
    next = f->next;
    drop(all, f);
  }
  stele_close(all->db);
  return NULL;
}

/* ---- Opening and closing ---- */

sv_followers *sv_followers_open(sv_server *server) {
  pthread_condattr_t clock;
  sv_followers *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->server = server;
  pthread_mutex_init(&all->mutex, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&all->changed, &clock);
  pthread_condattr_destroy(&clock);
  if (pthread_create(&all->thread, NULL, run, all) == 0) return all;
  free(all);
  return NULL;
}

void sv_followers_end(sv_followers *all) {
  if (!all || all->closing) return; /* ended by one thread only */
  pthread_mutex_lock(&all->mutex);
  all->closing = true;
  pthread_cond_broadcast(&all->changed);
  pthread_mutex_unlock(&all->mutex);
  pthread_join(all->thread, NULL);
}

void sv_followers_close(sv_followers *all) {
  if (!all) return;
  sv_followers_end(all);
  pthread_cond_destroy(&all->changed);
  pthread_mutex_destroy(&all->mutex);
  free(all);
}

int64_t sv_followers_count(const sv_followers *all) {
  return all ? atomic_load(&all->count) : 0;
}

void sv_followers_wake(sv_server *server, const char *store) {
  sv_followers *all = server->followers;
  (void)store; /* few follow, and looking in vain is cheap */
  if (!all || atomic_load_explicit(&all->count, memory_order_relaxed) == 0) return;
  pthread_mutex_lock(&all->mutex);
  all->woken = true;
  pthread_cond_signal(&all->changed);
  pthread_mutex_unlock(&all->mutex);
}

/* ---- A new one ---- */

bool sv_follow_prepare(sv_exchange *exchange) {
  char name[128], *store = sv_query(exchange, "store");
  snprintf(name, sizeof name, "%s.follow", store ? store : "conversation");
  exchange->call.method = stele_method_find(name);
  if (!exchange->call.method)
    sv_answer_problem(exchange, 404, STELE_NOTFOUND, "conversation can be", "the store %.60s cannot be followed",
                      store);
  free(store);
  return !exchange->answered;
}

/* Where to begin: behind what the client has seen, or with what comes from now on. */
static bool find_start(sv_exchange *exchange, sv_worker *worker, int64_t *after) {
  const char *seen = sv_header(exchange, "Last-Event-ID");
  char name[128], *end = NULL;
  stele_stmt *stmt = NULL;
  if (seen) *after = strtoll(seen, &end, 10);
  if (seen && (end == seen || *end || *after < 0)) {
    sv_answer_problem(exchange, 400, STELE_INVALID, "", "Last-Event-ID must be the id of an event");
    return false;
  }
  if (seen) return true;
  snprintf(name, sizeof name, "%s_from", exchange->call.method->name);
  stele_status status = stele_prepare(worker->full, name, &stmt);
  if (status == STELE_OK) status = stele_step(stmt);
  if (status == STELE_ROW) *after = stele_column_int(stmt, 0);
  stele_finalize(stmt);
  if (status == STELE_ROW) return true;
  sv_failure_copy(&exchange->call.failure, stele_error(worker->full));
  sv_answer_failure(exchange, &exchange->call.failure);
  return false;
}

static void on_pipe(void *user, bool gone) {
  follower *f = user;
  if (gone) atomic_store(&f->gone, true);
}

static bool enter(sv_followers *all, sv_exchange *exchange) {
  if (atomic_fetch_add(&all->count, 1) < all->server->limits.followers) return true;
  atomic_fetch_sub(&all->count, 1);
  sv_answer_problem(exchange, 503, STELE_BUSY, "", "too many clients follow");
  return false;
}

static follower *new_follower(sv_exchange *exchange, int64_t after) {
  follower *f = calloc(1, sizeof *f);
  struct MHD_Response *response = NULL;
  if (!f) return NULL;
  f->method = exchange->call.method;
  f->session = sv_query(exchange, "session");
  f->after = after;
  f->told_us = sv_now_us();
  f->pipe = sv_pipe_new(exchange, ROOM, on_pipe, f);
  if (f->pipe) sv_pipe_put(f->pipe, "retry: 2000\n:\n\n", 15);
  if (f->pipe) response = sv_pipe_response(f->pipe);
  sv_answer_response(exchange, 200, response);
  sv_answer_header(exchange, "Content-Type", "text/event-stream");
  sv_answer_header(exchange, "Cache-Control", "no-store");
  if (response) return f;
  if (f->pipe) sv_pipe_release(f->pipe);
  free(f->session);
  free(f);
  return NULL;
}

static void add(sv_followers *all, follower *f) {
  pthread_mutex_lock(&all->mutex);
  bool late = all->closing;
  if (!late) {
    f->next = all->incoming;
    all->incoming = f;
    pthread_cond_signal(&all->changed);
  }
  pthread_mutex_unlock(&all->mutex);
  if (late) drop(all, f);
}

void sv_follow_answer(sv_exchange *exchange, sv_worker *worker) {
  sv_followers *all = exchange->server->followers;
  int64_t after = 0;
  follower *f = NULL;
  if (enter(all, exchange)) {
    if (find_start(exchange, worker, &after)) f = new_follower(exchange, after);
    if (!f) atomic_fetch_sub(&all->count, 1);
    if (!f && !exchange->answered) sv_answer_response(exchange, 500, NULL);
  }
  atomic_fetch_add(&all->server->requests, 1); /* it does not stop before this one is among those it ends */
  sv_exchange_resume(exchange);                /* first: the pipe is written to when somebody takes */
  if (f) add(all, f);
  atomic_fetch_sub(&all->server->requests, 1);
}
