/* asker.c - see asker.h. */
#include "asker.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../text.h"

#define PATIENCE 2 /* seconds to wait for its end: a statement of PostgreSQL cannot be stopped */

struct asker {
  pthread_t thread;
  pthread_mutex_t lock; /* of all that follows, but for the handle, which is the thread's */
  pthread_cond_t asked;
  stele_db *db;
  int bell;
  bool ending;
  bool running;        /* a call is under way */
  bool stale;          /* and nobody wants its answer */
  const char *method;  /* of the question that waits; NULL: none does */
  char *arguments;
  int purpose;
  bool answered;
  answer done;
  char what[40]; /* what the call is at, "" if it did not say */
  int64_t at, total;
};

static void ring(const asker *a) {
  if (write(a->bell, "", 1) < 0) return; /* full: it rings already */
}

/* Long work tells how far it is, in the thread. */
static int progress(void *user, const char *what, int64_t done, int64_t total) {
  asker *a = user;
  pthread_mutex_lock(&a->lock);
  snprintf(a->what, sizeof a->what, "%s", what);
  a->at = done;
  a->total = total;
  bool stop = a->stale || a->ending;
  pthread_mutex_unlock(&a->lock);
  ring(a);
  return stop;
}

void answer_free(answer *a) {
  stele_free(a->reply);
  free(a->remark);
  *a = (answer){0};
}

static answer call(stele_db *db, int purpose, const char *method, const char *arguments) {
  answer got = {.purpose = purpose};
  stele_status status = stele_call(db, method, arguments, &got.reply);
  const stele_failure *failure = stele_error(db);
  if (status == STELE_OK) got.remark = text_format("%s", stele_notes(db));
  else got.remark = text_format("%s%s%s", failure->message, *failure->hint ? "; " : "", failure->hint);
  return got;
}

/* One question, with the lock held when it begins and when it ends. */
static void work(asker *a) {
  const char *method = a->method;
  char *arguments = a->arguments;
  int purpose = a->purpose;
  a->method = NULL;
  a->arguments = NULL;
  a->running = true;
  a->stale = false;
  a->what[0] = '\0';
  pthread_mutex_unlock(&a->lock);
  answer got = call(a->db, purpose, method, arguments);
  free(arguments);
  pthread_mutex_lock(&a->lock);
  a->running = false;
  if (a->stale) {
    answer_free(&got);
    return;
  }
  answer_free(&a->done);
  a->done = got;
  a->answered = true;
  ring(a);
}

static void *run(void *with) {
  asker *a = with;
  pthread_mutex_lock(&a->lock);
  while (!a->ending) {
    if (a->method) work(a);
    else pthread_cond_wait(&a->asked, &a->lock);
  }
  pthread_mutex_unlock(&a->lock);
  return NULL;
}

static void release(asker *a) {
  stele_close(a->db);
  answer_free(&a->done);
  free(a->arguments);
  pthread_cond_destroy(&a->asked);
  pthread_mutex_destroy(&a->lock);
  free(a);
}

asker *asker_start(const stele_options *options, int bell) {
  asker *a = text_need(calloc(1, sizeof *a));
  stele_options own = *options;
  sigset_t all, before;
  own.log = NULL; /* there is no place for it on the screen: what concerns a call is in its remark */
  own.progress = progress;
  own.user = a;
  a->bell = bell;
  pthread_mutex_init(&a->lock, NULL);
  pthread_cond_init(&a->asked, NULL);
  stele_open(&own, &a->db); /* a failure is the answer to whatever is asked */
  sigfillset(&all);         /* signals are for the thread that has the terminal */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(&a->thread, NULL, run, a) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (started) return a;
  release(a);
  return NULL;
}

/* Nobody wants what is asked, under way or answered.  With the lock held. */
static void drop(asker *a) {
  free(a->arguments);
  a->arguments = NULL;
  a->method = NULL;
  a->stale = true;
  a->answered = false;
  if (a->running) stele_interrupt(a->db);
}

bool asker_stop(asker *a) {
  struct timespec until;
  if (!a) return true;
  pthread_mutex_lock(&a->lock);
  a->ending = true;
  drop(a);
  pthread_cond_signal(&a->asked);
  pthread_mutex_unlock(&a->lock);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += PATIENCE;
  if (pthread_timedjoin_np(a->thread, NULL, &until) != 0) return false;
  release(a);
  return true;
}

void asker_ask(asker *a, int purpose, const char *method, char *arguments) {
  pthread_mutex_lock(&a->lock);
  drop(a);
  a->method = method;
  a->arguments = arguments;
  a->purpose = purpose;
  pthread_cond_signal(&a->asked);
  pthread_mutex_unlock(&a->lock);
}

void asker_forget(asker *a) {
  pthread_mutex_lock(&a->lock);
  drop(a);
  pthread_mutex_unlock(&a->lock);
}

bool asker_take(asker *a, answer *out) {
  pthread_mutex_lock(&a->lock);
  bool there = a->answered;
  if (there) {
    *out = a->done;
    a->done = (answer){0};
    a->answered = false;
  }
  pthread_mutex_unlock(&a->lock);
  return there;
}

bool asker_busy(asker *a, char **at) {
  pthread_mutex_lock(&a->lock);
  bool busy = a->method || (a->running && !a->stale);
  *at = NULL;
  if (busy && a->running && a->what[0])
    *at = a->total > 0 ? text_format("%s %d %%", a->what, (int)((double)a->at * 100 / (double)a->total))
                       : text_format("%s %lld", a->what, (long long)a->at);
  pthread_mutex_unlock(&a->lock);
  return busy;
}
