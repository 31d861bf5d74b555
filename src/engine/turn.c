/* turn.c - the turnstile around a store's writers.  See turn.h for how it works.
**
** fcntl() can wait for a lock, but not with a deadline, and a library must not use signals.  So at
** the first contention a helper thread is started: it does the waiting inside the kernel while the
** caller waits for it, with a deadline.  When the caller gives up, the helper passes the turn on
** as soon as it gets it. */
#include "engine/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

enum { TURN_BYTE = 0, QUEUE_BYTE = 1 };

#define LOOK_MS 20 /* so often who waits looks whether to stop: nobody can wake it, as stopping only sets a flag */

typedef enum state { IDLE, WAITING, ABANDONED, TAKEN } state;

struct st_turn {
  int fd;
  st_turn *next, **at; /* in turns */
  bool has_thread;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  state state; /* of the helper's errand; under the mutex */
  bool queued; /* the errand starts with the head of the queue already held */
  bool closing;
  const atomic_bool *stopped; /* see st_turn_stopped_by() */
};

/* A forked child has a copy of every descriptor, and the locks live until the last copy is closed:
** one of a parent that was killed would live on in its children.  So a child closes its copies. */
static pthread_mutex_t turns_mutex = PTHREAD_MUTEX_INITIALIZER;
static st_turn *turns; /* all of this process; under the mutex */

static void before_fork(void) { pthread_mutex_lock(&turns_mutex); }
static void after_fork(void) { pthread_mutex_unlock(&turns_mutex); }

static void after_fork_in_child(void) {
  for (st_turn *turn = turns; turn; turn = turn->next) close(turn->fd);
  turns = NULL; /* they are the parent's; nothing in the child uses them */
  pthread_mutex_unlock(&turns_mutex);
}

static void watch_forks(void) { pthread_atfork(before_fork, after_fork, after_fork_in_child); }

bool st_turn_path(const char *location, char out[4096]) {
  size_t length = strlen(location);
  if (length > 3 && strcmp(location + length - 3, ".db") == 0) length -= 3;
  return snprintf(out, 4096, "%.*s.lock", (int)length, location) < 4096;
}

static bool open_file(st_turn *turn, const char *path) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&turns_mutex);
  turn->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (turn->fd >= 0) {
    turn->next = turns;
    turn->at = &turns;
    if (turns) turns->at = &turn->next;
    turns = turn;
  }
  pthread_mutex_unlock(&turns_mutex);
  return turn->fd >= 0;
}

static void close_file(st_turn *turn) {
  pthread_mutex_lock(&turns_mutex);
  *turn->at = turn->next;
  if (turn->next) turn->next->at = turn->at;
  close(turn->fd);
  pthread_mutex_unlock(&turns_mutex);
}

/* AddressSanitizer does not notice when a cancelled thread leaves this function, and would take the
** place of its variable on the stack for forbidden ever after. */
__attribute__((no_sanitize("address"))) static bool lock_byte(int fd, int byte, short type, bool wait) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  int rc;
  do {
    rc = fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
  } while (rc == -1 && errno == EINTR && wait);
  return rc == 0;
}

static int64_t monotonic_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

stele_status st_turn_open(const char *path, st_turn **out) {
  pthread_condattr_t clock;
  st_turn *turn = st_alloc_zero(sizeof *turn);
  *out = NULL;
  if (!turn) return STELE_NOMEM;
  if (!open_file(turn, path)) {
    st_free(turn);
    return STELE_IO;
  }
  pthread_mutex_init(&turn->mutex, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&turn->changed, &clock);
  pthread_condattr_destroy(&clock);
  *out = turn;
  return STELE_OK;
}

/* The helper: does one errand after another, until it is cancelled inside fcntl() or told to end. */
static void *run_errands(void *argument) {
  st_turn *turn = argument;
  pthread_mutex_lock(&turn->mutex);
  for (;;) {
    while (turn->state != WAITING && !turn->closing) pthread_cond_wait(&turn->changed, &turn->mutex);
    if (turn->closing) break;
    bool queued = turn->queued;
    pthread_mutex_unlock(&turn->mutex);
    /* Only here, where no mutex is held, may the thread be cancelled. */
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    if (!queued) lock_byte(turn->fd, QUEUE_BYTE, F_WRLCK, true);
    lock_byte(turn->fd, TURN_BYTE, F_WRLCK, true);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    lock_byte(turn->fd, QUEUE_BYTE, F_UNLCK, false);
    pthread_mutex_lock(&turn->mutex);
    if (turn->state == ABANDONED) {
      lock_byte(turn->fd, TURN_BYTE, F_UNLCK, false);
      turn->state = IDLE;
    } else {
      turn->state = TAKEN;
    }
    pthread_cond_broadcast(&turn->changed);
  }
  pthread_mutex_unlock(&turn->mutex);
  return NULL;
}

static void *helper_main(void *argument) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  return run_errands(argument);
}

static bool start_helper(st_turn *turn) {
  pthread_attr_t small;
  if (turn->has_thread) return true;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 * 1024);
  turn->has_thread = pthread_create(&turn->thread, &small, helper_main, turn) == 0;
  pthread_attr_destroy(&small);
  return turn->has_thread;
}

void st_turn_stopped_by(st_turn *turn, const atomic_bool *stopped) { turn->stopped = stopped; }

static bool is_stopped(const st_turn *turn) {
  return turn->stopped && atomic_load_explicit(turn->stopped, memory_order_relaxed);
}

/* Let the mutex go until something changed, or for the time given. */
static void await_change(st_turn *turn, int64_t us) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += us / 1000000;
  until.tv_nsec += (long)(us % 1000000) * 1000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_sec++;
    until.tv_nsec -= 1000000000;
  }
  pthread_cond_timedwait(&turn->changed, &turn->mutex, &until);
}

/* Wait until the helper has the turn, until the deadline, or until the wait is stopped. */
static stele_status await_helper(st_turn *turn, bool queued, int wait_ms) {
  int64_t deadline = monotonic_us() + (int64_t)wait_ms * 1000, left = (int64_t)wait_ms * 1000;
  pthread_mutex_lock(&turn->mutex);
  if (turn->state == IDLE) turn->queued = queued;
  turn->state = WAITING; /* an abandoned errand is simply taken up again */
  pthread_cond_broadcast(&turn->changed);
  while (turn->state == WAITING && left > 0 && !is_stopped(turn)) {
    await_change(turn, left < LOOK_MS * 1000 ? left : LOOK_MS * 1000);
    left = deadline - monotonic_us();
  }
  bool taken = turn->state == TAKEN;
  turn->state = taken ? IDLE : ABANDONED;
  pthread_mutex_unlock(&turn->mutex);
  return taken ? STELE_OK : is_stopped(turn) ? STELE_CANCELLED : STELE_BUSY;
}

stele_status st_turn_take(st_turn *turn, int wait_ms, int64_t *waited_us) {
  bool queued = false;
  *waited_us = 0;
  pthread_mutex_lock(&turn->mutex);
  bool idle = turn->state == IDLE;
  pthread_mutex_unlock(&turn->mutex);
  /* With an errand still under way these locks are the helper's: a lock of the same descriptor
  ** never conflicts with itself, so trying would "succeed". */
  if (idle) {
    queued = lock_byte(turn->fd, QUEUE_BYTE, F_WRLCK, false);
    if (queued && lock_byte(turn->fd, TURN_BYTE, F_WRLCK, false)) {
      lock_byte(turn->fd, QUEUE_BYTE, F_UNLCK, false);
      return STELE_OK;
    }
  }
  int64_t start = monotonic_us();
  stele_status status = STELE_OK;
  if (start_helper(turn)) {
    status = await_helper(turn, queued, wait_ms);
  } else { /* no thread to be had: wait without a deadline rather than without a turn */
    if (!queued) lock_byte(turn->fd, QUEUE_BYTE, F_WRLCK, true);
    lock_byte(turn->fd, TURN_BYTE, F_WRLCK, true);
    lock_byte(turn->fd, QUEUE_BYTE, F_UNLCK, false);
  }
  *waited_us = monotonic_us() - start;
  return status;
}

void st_turn_leave(st_turn *turn) { lock_byte(turn->fd, TURN_BYTE, F_UNLCK, false); }

void st_turn_close(st_turn *turn) {
  if (!turn) return;
  if (turn->has_thread) {
    pthread_mutex_lock(&turn->mutex);
    turn->closing = true;
    pthread_cond_broadcast(&turn->changed);
    pthread_mutex_unlock(&turn->mutex);
    pthread_cancel(turn->thread); /* it may be waiting in the kernel for a turn nobody wants any more */
    pthread_join(turn->thread, NULL);
  }
  close_file(turn);
  pthread_cond_destroy(&turn->changed);
  pthread_mutex_destroy(&turn->mutex);
  st_free(turn);
}
