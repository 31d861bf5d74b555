/* index_names.c - an index whose names are given to other files in the middle of something: while it is opened, taken away or in use.
**
** The linker puts a gate before the functions that open and delete files (tests/meson.build).  There something else happens first,
** at the worst of moments: another handle's call in a thread of its own, as far as it comes in the meantime, or a stranger's rm. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/file.h>
#include <time.h>

#include "unit/home.h"

#define MEANWHILE_MS 500 /* so long the other one may take, if nobody keeps it waiting */
#define SEARCH "conversation.search_messages"
#define NEEDLE "{\"query\":\"needle\",\"sort\":\"oldest\"}"
#define REBUILD "{\"rebuild\":true}"

/* ---- What happens in the middle ---- */

typedef enum moment { NEVER, OPENING, OPENED, DELETING, LOCKING } moment;

typedef struct meddler {
  _Atomic moment moment;
  const char *suffix; /* of the file that it happens to */
  void (*act)(const home *h);
  const home *home;
  atomic_int times;
} meddler;

static meddler middle;
static const char *_Atomic refused; /* what ends so cannot be opened */

static bool ends_in(const char *path, const char *suffix) {
  size_t length = strlen(path), tail = strlen(suffix);
  return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

/* Once: what is done in the middle opens and deletes files, too. */
static void meddle(moment at, const char *path) {
  moment expected = at;
  if (atomic_load(&middle.moment) != at || !ends_in(path, middle.suffix)) return;
  if (!atomic_compare_exchange_strong(&middle.moment, &expected, NEVER)) return;
  atomic_fetch_add(&middle.times, 1);
  middle.act(middle.home);
}

static void when(moment at, const char *suffix, const home *h, void (*act)(const home *h)) {
  middle.suffix = suffix;
  middle.act = act;
  middle.home = h;
  atomic_store(&middle.times, 0);
  atomic_store(&middle.moment, at);
}

static void assert_met(void) {
  assert_int_equal(atomic_load(&middle.times), 1);
  atomic_store(&middle.moment, NEVER);
}

#define OPEN(name) \
  int __real_##name(const char *path, int flags, ...); \
  int __wrap_##name(const char *path, int flags, ...); \
  int __wrap_##name(const char *path, int flags, ...) { \
    va_list args; \
    va_start(args, flags); \
    unsigned mode = flags & O_CREAT ? va_arg(args, unsigned) : 0; \
    va_end(args); \
    meddle(OPENING, path); \
    const char *suffix = atomic_load(&refused); \
    bool fails = suffix && ends_in(path, suffix); \
    int fd = fails ? -1 : __real_##name(path, flags, mode); \
    if (fails) errno = EIO; \
    meddle(OPENED, path); \
    return fd; \
  }
OPEN(open)
OPEN(open64)

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path) {
  meddle(DELETING, path);
  return __real_unlink(path);
}

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);
int __wrap_flock(int fd, int operation) {
  int problem = atomic_load(&middle.moment) == LOCKING ? ENOLCK : 0;
  if (problem) errno = problem;
  return problem ? -1 : __real_flock(fd, operation);
}

/* ---- Others ---- */

typedef struct other {
  pthread_t thread;
  const home *home;
  stele_db *db;
  const char *method, *args;
  bool stays; /* and has the index open */
  stele_status status;
  char problem[300];
  atomic_bool over;
} other;

static void *make_call(void *argument) {
  other *o = argument;
  stele_options options = home_options(o->home);
  char *reply = NULL;
  o->status = stele_open(&options, &o->db);
  if (o->status == STELE_OK) o->status = stele_call(o->db, o->method, o->args, &reply);
  snprintf(o->problem, sizeof o->problem, "%s", stele_error(o->db)->message);
  stele_free(reply);
  if (!o->stays) stele_close(o->db);
  atomic_store(&o->over, true);
  return NULL;
}

static other meanwhile;

/* Somebody else's call: until it is done, or waits. */
static void call_meanwhile(const home *h, const char *method, const char *args, bool stays) {
  meanwhile = (other){.home = h, .method = method, .args = args, .stays = stays};
  assert_int_equal(pthread_create(&meanwhile.thread, NULL, make_call, &meanwhile), 0);
  for (int ms = 0; ms < MEANWHILE_MS && !atomic_load(&meanwhile.over); ms++) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Its handle, if it stays. */
static stele_db *assert_done(void) {
  pthread_join(meanwhile.thread, NULL);
  if (meanwhile.status != STELE_OK) fail_msg("meanwhile: %s", meanwhile.problem);
  return meanwhile.db;
}

static void rebuild_meanwhile(const home *h) { call_meanwhile(h, "conversation.index_messages", REBUILD, false); }
static void search_meanwhile(const home *h) { call_meanwhile(h, SEARCH, NEEDLE, true); }

static const char *index_of(const home *h) { return path_in(h->path, "conversation.index.db"); }

/* What rm does, without asking anybody. */
static void take_away(const home *h) { assert_int_equal(__real_unlink(index_of(h)), 0); }

static void take_log_away(const home *h) {
  assert_int_equal(__real_unlink(path_in(h->path, "conversation.index.db-wal")), 0);
  assert_int_equal(__real_unlink(path_in(h->path, "conversation.index.db-shm")), 0);
}

/* ---- A store with a needle in 400 messages, and more than a search reads by itself ---- */

static void append(stele_db *db, const char *text) {
  char args[200];
  snprintf(args, sizeof args, "{\"session_id\":\"s\",\"role\":\"user\",\"content\":\"%s\"}", text);
  must_call(db, "conversation.append_message", args);
}

static void append_hay(stele_db *db, int count) {
  assert_int_equal(stele_begin(db, "conversation"), STELE_OK);
  for (int i = 0; i < count; i++) append(db, "hay");
  assert_int_equal(stele_commit(db), STELE_OK);
}

static stele_db *make_store(const home *h) {
  stele_db *db = open_home(h);
  must_call(db, "conversation.create_session", "{\"session_id\":\"s\",\"source\":\"cli\"}");
  append(db, "a needle");
  append_hay(db, 400);
  must_call(db, "conversation.index_messages", "{}");
  return db;
}

/* The log of the index has what the index has not, as somebody who reads keeps it from being moved. */
static sqlite3 *reader;

static void fill_log(const home *h, stele_db *db) {
  assert_int_equal(sqlite3_open(index_of(h), &reader), SQLITE_OK);
  sqlite3_db_config(reader, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT * FROM stele_index", NULL, NULL, NULL), SQLITE_OK);
  append_hay(db, 400);
  must_call(db, "conversation.index_messages", "{}");
}

static void end_reader(void) {
  sqlite3_close(reader);
  reader = NULL;
}

/* How often it is found: ids are of no interest. */
static int count_needles(stele_db *db) {
  int count = 0;
  for (const char *at = must_call(db, SEARCH, NEEDLE); (at = strstr(at, "\"id\":")); at++) count++;
  return count;
}

/* Whoever has the store open finds all, and what is left is whole. */
static void assert_well(const home *h, stele_db **open, size_t count) {
  for (size_t i = 0; i < count; i++) assert_int_equal(count_needles(open[i]), 1);
  for (size_t i = 0; i < count; i++) {
    append(open[i], "another needle");
    for (size_t k = 0; k < count; k++) assert_int_equal(count_needles(open[k]), i + 2);
  }
  end_reader();
  for (size_t i = 0; i < count; i++) {
    must_call(open[i], "conversation.index_messages", "{}");
    stele_close(open[i]);
  }
  assert_sql(index_of(h), "PRAGMA integrity_check", "ok");
}

/* ---- Tests ---- */

static void made_anew_while_another_opens_it(void **state) {
  const home *h = *state;
  stele_db *db[2] = {make_store(h), open_home(h)};
  fill_log(h, db[0]);
  when(OPENING, ".index.db-wal", h, rebuild_meanwhile);
  assert_int_equal(count_needles(db[1]), 1);
  assert_met();
  assert_done();
  assert_well(h, db, 2);
}

static void opened_while_another_takes_it_away(void **state) {
  const home *h = *state;
  stele_db *db[3] = {make_store(h), open_home(h)};
  assert_int_equal(count_needles(db[1]), 1);
  when(DELETING, ".index.db-wal", h, search_meanwhile);
  must_call(db[0], "conversation.index_messages", REBUILD);
  assert_met();
  db[2] = assert_done();
  fill_log(h, db[2]);
  assert_well(h, db, 3);
}

static void deleted_by_a_stranger_while_it_is_opened(void **state) {
  const home *h = *state;
  stele_close(make_store(h)); /* and so has no log */
  stele_db *db[2] = {open_home(h), open_home(h)};
  when(OPENED, ".index.db", h, take_away);
  assert_int_equal(count_needles(db[1]), 1);
  assert_met();
  assert_well(h, db, 2);
}

static void deleted_by_a_stranger_before_it_is_opened(void **state) {
  const home *h = *state;
  stele_db *db[2] = {make_store(h), open_home(h)};
  when(OPENING, ".index.db", h, take_away);
  assert_int_equal(count_needles(db[1]), 1);
  assert_met();
  assert_well(h, db, 2);
}

static void loses_its_log_while_it_is_in_use(void **state) {
  const home *h = *state;
  stele_db *db[3] = {make_store(h), open_home(h), open_home(h)};
  fill_log(h, db[0]);
  assert_int_equal(count_needles(db[1]), 1);
  take_log_away(h);
  assert_int_equal(count_needles(db[2]), 1); /* it alone has the log that the name means now */
  assert_well(h, db, 3);
}

static int search_once(void *argument) {
  stele_options options = home_options(argument);
  stele_db *db = NULL;
  char *reply = NULL;
  stele_status status = stele_open(&options, &db);
  if (status == STELE_OK) status = stele_call(db, SEARCH, NEEDLE, &reply);
  int wrong = differs(db, status, STELE_OK, SEARCH) || !strstr(reply, "needle");
  stele_free(reply);
  stele_close(db);
  return wrong;
}

static void leaves_a_log_behind_that_is_in_use(void **state) {
  const home *h = *state;
  stele_db *db[2] = {make_store(h), open_home(h)};
  fill_log(h, db[0]);
  take_away(h); /* and not the log, which the first goes on with */
  assert_int_equal(in_child(search_once, *state), 0);
  assert_well(h, db, 2);
}

static ino_t number_of(const home *h) {
  struct stat found;
  assert_int_equal(stat(index_of(h), &found), 0);
  return found.st_ino;
}

static void cannot_be_read_and_says_so(void **state) {
  const home *h = *state;
  stele_db *db[2] = {make_store(h), open_home(h)};
  static const char *const suffixes[] = {".index.db", ".index.db-wal", "/home"};
  ino_t number = number_of(h);
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    atomic_store(&refused, suffixes[i]);
    must_fail(db[1], SEARCH, NEEDLE, STELE_IO);
    atomic_store(&refused, NULL);
    assert_int_equal(number_of(h), number); /* and is not thrown away for it */
  }
  assert_well(h, db, 2);
}

static void waits_no_longer_than_it_may(void **state) {
  const home *h = *state;
  stele_options options = home_options(h);
  options.wait_ms = 50;
  stele_close(make_store(h));
  stele_db *db = must_open(&options);
  int fd = open(h->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_int_equal(flock(fd, LOCK_EX), 0);
  must_fail(db, SEARCH, NEEDLE, STELE_BUSY);
  must_fail(db, "conversation.index_messages", REBUILD, STELE_BUSY);
  close(fd);
  assert_int_equal(count_needles(db), 1);
  fd = open(h->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_int_equal(flock(fd, LOCK_EX), 0);
  stele_close(db); /* its log stays, which does no harm */
  close(fd);
  db = open_home(h);
  assert_well(h, &db, 1);
}

static void count_warnings(void *user, stele_log_level level, const char *message) {
  if (level == STELE_LOG_WARNING && strstr(message, "cannot be locked")) ++*(int *)user;
}

static void lies_where_nothing_can_be_locked(void **state) {
  const home *h = *state;
  int warnings = 0;
  stele_options options = home_options(h);
  options.log = count_warnings;
  options.user = &warnings;
  stele_close(make_store(h));
  stele_db *db = must_open(&options);
  when(LOCKING, "", h, NULL);
  assert_int_equal(count_needles(db), 1);
  when(NEVER, "", h, NULL);
  assert_int_equal(warnings, 1);
  assert_well(h, &db, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      home_test(made_anew_while_another_opens_it),
      home_test(opened_while_another_takes_it_away),
      home_test(deleted_by_a_stranger_while_it_is_opened),
      home_test(deleted_by_a_stranger_before_it_is_opened),
      home_test(loses_its_log_while_it_is_in_use),
      home_test(leaves_a_log_behind_that_is_in_use),
      home_test(cannot_be_read_and_says_so),
      home_test(waits_no_longer_than_it_may),
      home_test(lies_where_nothing_can_be_locked),
  };
  return cmocka_run_group_tests_name("index_names", tests, NULL, NULL);
}
