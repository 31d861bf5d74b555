/* test_turn.c - the turnstile: one at a time, none overtaken, a deadline; whoever gives up or dies. */
#include "engine/turn.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "unit/home.h"

#define CROWD 8
#define ROUNDS 200
#define LONG_MS 30000 /* never reached unless something is broken */

enum { TURN_BYTE = 0, QUEUE_BYTE = 1 };

/* ---- What the tests share ------------------------------------------------------------------- */

/* Seen by threads and processes alike. */
typedef struct shared {
  char path[PATH_SIZE];
  int wait_ms; /* 0: a different, short one each time */
  atomic_int inside, entered, intruders, busy, failed, next_place;
} shared;

static shared *make_shared(const home *h) {
  shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(s, MAP_FAILED);
  snprintf(s->path, sizeof s->path, "%s", path_in(h->directory, "x.lock"));
  s->wait_ms = LONG_MS;
  return s;
}

static st_turn *open_turn(const shared *s) {
  st_turn *turn = NULL;
  assert_int_equal(st_turn_open(s->path, &turn), STELE_OK);
  return turn;
}

static void take(st_turn *turn) {
  int64_t waited;
  assert_int_equal(st_turn_take(turn, LONG_MS, &waited), STELE_OK);
}

static void assert_busy(st_turn *turn) {
  int64_t waited = 0;
  assert_int_equal(st_turn_take(turn, 20, &waited), STELE_BUSY);
  assert_true(waited > 0);
}

/* Wait until somebody holds the byte, or until nobody does. */
static void await_byte(const shared *s, int byte, bool held) {
  int fd = open(s->path, O_RDWR | O_CLOEXEC);
  assert_true(fd >= 0);
  for (int tries = 0; tries < LONG_MS; tries++) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    assert_int_equal(fcntl(fd, F_OFD_GETLK, &lock), 0);
    if ((lock.l_type != F_UNLCK) == held) {
      close(fd);
      return;
    }
    usleep(1000);
  }
  fail_msg("byte %d never became %s", byte, held ? "held" : "free");
}

/* Nobody holds or wants the turn: a newcomer gets it at once. */
static void assert_free(const shared *s) {
  int64_t waited = -1;
  st_turn *turn = open_turn(s);
  assert_int_equal(st_turn_take(turn, LONG_MS, &waited), STELE_OK);
  assert_int_equal(waited, 0);
  st_turn_leave(turn);
  st_turn_close(turn);
}

/* ---- One at a time -------------------------------------------------------------------------- */

/* Enter, look around, leave.  An update in two halves is lost if somebody else is inside too. */
static void work_inside(shared *s) {
  if (atomic_fetch_add(&s->inside, 1) != 0) atomic_fetch_add(&s->intruders, 1);
  int entered = atomic_load(&s->entered);
  sched_yield();
  atomic_store(&s->entered, entered + 1);
  atomic_fetch_sub(&s->inside, 1);
}

/* Many rounds, with a turn of its own. */
static int play(void *argument) {
  shared *s = argument;
  st_turn *turn;
  if (st_turn_open(s->path, &turn) != STELE_OK) return 1;
  for (int i = 0; i < ROUNDS; i++) {
    int64_t waited;
    stele_status status = st_turn_take(turn, s->wait_ms ? s->wait_ms : i % 3, &waited);
    if (status == STELE_OK) {
      work_inside(s);
      st_turn_leave(turn);
    } else {
      atomic_fetch_add(status == STELE_BUSY ? &s->busy : &s->failed, 1);
    }
  }
  st_turn_close(turn);
  return 0;
}

static void *play_thread(void *argument) {
  shared *s = argument;
  if (play(s) != 0) atomic_fetch_add(&s->failed, 1);
  return NULL;
}

static void play_threads(shared *s) {
  pthread_t threads[CROWD];
  for (int i = 0; i < CROWD; i++) assert_int_equal(pthread_create(&threads[i], NULL, play_thread, s), 0);
  for (int i = 0; i < CROWD; i++) pthread_join(threads[i], NULL);
}

static void play_processes(shared *s) {
  pid_t children[CROWD];
  for (int i = 0; i < CROWD; i++) children[i] = start_child(play, s);
  for (int i = 0; i < CROWD; i++) assert_int_equal(wait_child(children[i]), 0);
}

static void assert_all_played(shared *s) {
  assert_int_equal(atomic_load(&s->failed), 0);
  assert_int_equal(atomic_load(&s->intruders), 0);
  assert_int_equal(atomic_load(&s->entered) + atomic_load(&s->busy), CROWD * ROUNDS);
  assert_free(s);
  munmap(s, sizeof *s);
}

static void test_threads_take_turns(void **state) {
  shared *s = make_shared(*state);
  play_threads(s);
  assert_int_equal(atomic_load(&s->busy), 0);
  assert_all_played(s);
}

static void test_processes_take_turns(void **state) {
  shared *s = make_shared(*state);
  play_processes(s);
  assert_int_equal(atomic_load(&s->busy), 0);
  assert_all_played(s);
}

/* With deadlines of 0 to 2 ms some give up again and again, at every possible moment. */
static void test_impatient_threads_take_turns(void **state) {
  shared *s = make_shared(*state);
  s->wait_ms = 0;
  play_threads(s);
  assert_all_played(s);
}

static void test_impatient_processes_take_turns(void **state) {
  shared *s = make_shared(*state);
  s->wait_ms = 0;
  play_processes(s);
  assert_all_played(s);
}

/* ---- None overtaken ------------------------------------------------------------------------- */

typedef struct waiter {
  shared *shared;
  st_turn *turn;
  int place; /* in the order in which turns were had */
} waiter;

static void *take_once(void *argument) {
  waiter *w = argument;
  int64_t waited;
  if (st_turn_take(w->turn, LONG_MS, &waited) != STELE_OK) return NULL;
  w->place = atomic_fetch_add(&w->shared->next_place, 1);
  st_turn_leave(w->turn);
  return NULL;
}

/* Whoever leaves and comes back at once, as a busy writer does, is behind one who has been waiting. */
static void test_a_waiter_is_not_overtaken(void **state) {
  shared *s = make_shared(*state);
  st_turn *busy = open_turn(s);
  waiter w = {s, open_turn(s), -1};
  pthread_t thread;
  for (int round = 0; round < 50; round++) {
    take(busy);
    assert_int_equal(pthread_create(&thread, NULL, take_once, &w), 0);
    await_byte(s, QUEUE_BYTE, true);
    st_turn_leave(busy);
    take(busy);
    int place = atomic_fetch_add(&s->next_place, 1);
    st_turn_leave(busy);
    pthread_join(thread, NULL);
    assert_int_equal(place, 2 * round + 1);
    assert_int_equal(w.place, 2 * round);
  }
  st_turn_close(busy);
  st_turn_close(w.turn);
  munmap(s, sizeof *s);
}

/* ---- Giving up ------------------------------------------------------------------------------ */

static void test_busy_at_the_deadline(void **state) {
  shared *s = make_shared(*state);
  st_turn *holder = open_turn(s), *late = open_turn(s), *later = open_turn(s);
  take(holder);
  assert_busy(late);  /* at the head of the queue */
  assert_busy(later); /* behind it */
  st_turn_leave(holder);
  take(late);
  st_turn_leave(late);
  take(later);
  st_turn_leave(later);
  st_turn_close(holder);
  st_turn_close(late);
  st_turn_close(later);
  assert_free(s);
  munmap(s, sizeof *s);
}

/* The abandoned wait gets its turn some time later, and must pass it on. */
static void test_an_abandoned_turn_is_passed_on(void **state) {
  shared *s = make_shared(*state);
  st_turn *holder = open_turn(s), *late = open_turn(s), *other = open_turn(s);
  for (int round = 0; round < 20; round++) {
    take(holder);
    assert_busy(late);
    st_turn_leave(holder);
    take(other);
    st_turn_leave(other);
    await_byte(s, QUEUE_BYTE, false);
    await_byte(s, TURN_BYTE, false);
  }
  st_turn_close(holder);
  st_turn_close(late);
  st_turn_close(other);
  munmap(s, sizeof *s);
}

static void *leave_turn(void *argument) {
  st_turn_leave(argument);
  return NULL;
}

/* Asked again while the abandoned wait is still under way, it is taken up again, and had once. */
static void test_taking_after_giving_up(void **state) {
  shared *s = make_shared(*state);
  st_turn *holder = open_turn(s), *late = open_turn(s), *other = open_turn(s);
  for (int round = 0; round < 20; round++) {
    pthread_t thread;
    take(holder);
    assert_busy(late);
    assert_busy(late);
    assert_int_equal(pthread_create(&thread, NULL, leave_turn, holder), 0);
    take(late);
    pthread_join(thread, NULL);
    assert_busy(other); /* late has it, really */
    st_turn_leave(late);
    take(other);
    st_turn_leave(other);
  }
  st_turn_close(holder);
  st_turn_close(late);
  st_turn_close(other);
  assert_free(s);
  munmap(s, sizeof *s);
}

static void test_closing_while_waiting(void **state) {
  shared *s = make_shared(*state);
  st_turn *holder = open_turn(s), *first = open_turn(s), *second = open_turn(s);
  take(holder);
  assert_busy(first);  /* its helper waits for the turn */
  assert_busy(second); /* and this one for the head of the queue */
  st_turn_close(second);
  st_turn_close(first);
  await_byte(s, QUEUE_BYTE, false);
  st_turn_leave(holder);
  st_turn_close(holder);
  assert_free(s);
  munmap(s, sizeof *s);
}

static void test_closing_with_the_turn_passes_it_on(void **state) {
  shared *s = make_shared(*state);
  st_turn *turn = open_turn(s);
  take(turn);
  st_turn_close(turn);
  assert_free(s);
  munmap(s, sizeof *s);
}

/* ---- Dying ---------------------------------------------------------------------------------- */

typedef struct doomed {
  shared *shared;
  int told[2]; /* a pipe: one byte when it has what it wanted */
} doomed;

static int take_and_stay(void *argument) {
  doomed *d = argument;
  int64_t waited;
  st_turn *turn;
  if (st_turn_open(d->shared->path, &turn) != STELE_OK) return 1;
  if (st_turn_take(turn, LONG_MS, &waited) != STELE_OK) return 2;
  if (write(d->told[1], "x", 1) != 1) return 3;
  pause();
  return 4;
}

static void test_a_killed_holder_leaves(void **state) {
  doomed d = {.shared = make_shared(*state)};
  char byte;
  assert_int_equal(pipe(d.told), 0);
  pid_t child = start_child(take_and_stay, &d);
  assert_int_equal(read(d.told[0], &byte, 1), 1);
  st_turn *turn = open_turn(d.shared);
  assert_busy(turn);
  kill(child, SIGKILL);
  assert_int_equal(wait_child(child), -SIGKILL);
  take(turn);
  st_turn_leave(turn);
  st_turn_close(turn);
  assert_free(d.shared);
  close(d.told[0]);
  close(d.told[1]);
  munmap(d.shared, sizeof *d.shared);
}

static void test_a_killed_waiter_leaves_the_queue(void **state) {
  doomed d = {.shared = make_shared(*state)};
  assert_int_equal(pipe(d.told), 0);
  st_turn *turn = open_turn(d.shared);
  take(turn);
  pid_t child = start_child(take_and_stay, &d);
  await_byte(d.shared, QUEUE_BYTE, true);
  kill(child, SIGKILL);
  assert_int_equal(wait_child(child), -SIGKILL);
  await_byte(d.shared, QUEUE_BYTE, false);
  st_turn_leave(turn);
  st_turn_close(turn);
  assert_free(d.shared);
  close(d.told[0]);
  close(d.told[1]);
  munmap(d.shared, sizeof *d.shared);
}

/* ---- Forking -------------------------------------------------------------------------------- */

static int stay(void *argument) {
  (void)argument;
  pause();
  return 0;
}

/* A child has a copy of the descriptor: what its parent closes must be free all the same. */
static void test_closing_beside_a_forked_child(void **state) {
  shared *s = make_shared(*state);
  st_turn *holder = open_turn(s), *waiting = open_turn(s);
  take(holder);
  assert_busy(waiting);
  pid_t child = start_child(stay, NULL);
  st_turn_close(waiting);
  st_turn_close(holder);
  st_turn *turn = open_turn(s);
  take(turn);
  st_turn_close(turn);
  kill(child, SIGKILL);
  wait_child(child);
  munmap(s, sizeof *s);
}

/* Takes the turn between two forks, tells the number of the processes it leaves behind, and dies. */
static int die_with_the_turn(void *argument) {
  doomed *d = argument;
  int64_t waited;
  pid_t heirs[2];
  st_turn *turn;
  if (st_turn_open(d->shared->path, &turn) != STELE_OK) return 1;
  heirs[0] = start_child(stay, NULL);
  if (st_turn_take(turn, LONG_MS, &waited) != STELE_OK) return 2;
  heirs[1] = start_child(stay, NULL);
  if (write(d->told[1], heirs, sizeof heirs) != sizeof heirs) return 3;
  raise(SIGKILL);
  return 4;
}

static void test_a_killed_holder_has_no_heirs(void **state) {
  doomed d = {.shared = make_shared(*state)};
  pid_t heirs[2];
  assert_int_equal(pipe(d.told), 0);
  assert_int_equal(in_child(die_with_the_turn, &d), -SIGKILL);
  assert_int_equal(read(d.told[0], heirs, sizeof heirs), sizeof heirs);
  await_byte(d.shared, TURN_BYTE, false); /* an heir may just have been forked */
  assert_free(d.shared);
  for (int i = 0; i < 2; i++) kill(heirs[i], SIGKILL);
  close(d.told[0]);
  close(d.told[1]);
  munmap(d.shared, sizeof *d.shared);
}

/* ---- The file ------------------------------------------------------------------------------- */

static void test_the_file(void **state) {
  home *h = *state;
  st_turn *turn = NULL;
  shared *s = make_shared(h);
  mode_t mask = umask(022);
  st_turn_close(open_turn(s));
  umask(mask);
  assert_mode(s->path, 0600);
  assert_int_equal(st_turn_open(path_in(h->directory, "missing/x.lock"), &turn), STELE_IO);
  assert_null(turn);
  st_turn_close(NULL);
  munmap(s, sizeof *s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(test_threads_take_turns),
      home_test(test_processes_take_turns),
      home_test(test_impatient_threads_take_turns),
      home_test(test_impatient_processes_take_turns),
      home_test(test_a_waiter_is_not_overtaken),
      home_test(test_busy_at_the_deadline),
      home_test(test_an_abandoned_turn_is_passed_on),
      home_test(test_taking_after_giving_up),
      home_test(test_closing_while_waiting),
      home_test(test_closing_with_the_turn_passes_it_on),
      home_test(test_a_killed_holder_leaves),
      home_test(test_a_killed_waiter_leaves_the_queue),
      home_test(test_closing_beside_a_forked_child),
      home_test(test_a_killed_holder_has_no_heirs),
      home_test(test_the_file),
  };
  return cmocka_run_group_tests_name("turn", tests, NULL, NULL);
}
