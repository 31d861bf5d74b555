/* crowd.c - processes with several threads each, and a handle for every thread, use all stores at once.
**
**     crowd [--processes N] [--threads N] [--rounds N] [--seed S]
**
** In a round a thread writes to one store, reads, searches, makes a transaction and takes it back, or moves a log; meanwhile another
** thread of its process interrupts calls.  No call may fail but by being interrupted, and in the end exactly what was acknowledged is in
** the stores.  Under ThreadSanitizer (`make tsan`) no two threads may touch the same memory.  Prints TAP: one line per store. */
#include <ftw.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stele.h"

#define THREADS_MAX 32

/* A store, how it is written and read, and where the rows are. */
typedef struct store {
  const char *name, *write, *args, *read, *table;
} store;

/* %d: process, thread, round. */
static const store stores[] = {
    {"conversation", "conversation.append_message", "{\"session_id\":\"s\",\"role\":\"user\",\"content\":\"mark %d.%d.%d\"}",
     "conversation.get_messages\t{\"session_id\":\"s\"}", "messages"},
    {"assistant", "assistant.save_note", "{\"title\":\"t\",\"content\":\"mark %d.%d.%d\"}", "assistant.get_notes\t{}", "notes"},
    {"planner", "planner.save_message", "{\"session\":\"s\",\"role\":\"user\",\"content\":\"mark %d.%d.%d\"}",
     "planner.get_recent_messages\t{\"session\":\"s\"}", "messages"},
    {"telemetry", "telemetry.create_session", "{\"now\":%d%02d%05d}", "telemetry.get_session_list\t{}", "sessions"},
    {"capture", "capture.insert_event",
     "{\"command\":\"mark %d.%d.%d\",\"cwd\":\"/\",\"hostname\":\"h\",\"shell\":\"zsh\",\"terminal\":\"t\"}", "capture.get_events\t{}",
     "events"},
};
enum { STORES = sizeof stores / sizeof *stores };

/* What all processes share. */
typedef struct shared {
  atomic_int acknowledged[STORES], interrupted, wrong;
  char problem[300]; /* of the first that was wrong */
} shared;

typedef struct settings {
  int processes, threads, rounds;
  unsigned seed;
} settings;

typedef struct worker {
  pthread_t thread;
  const settings *settings;
  const char *home;
  shared *shared;
  int process, number;
  unsigned random;
  stele_db *db;
} worker;

static unsigned pick(worker *w, unsigned limit) {
  w->random = w->random * 1664525u + 1013904223u;
  return (w->random >> 16) % limit;
}

static stele_db *open_home(const char *home) {
  stele_options options = {.size = sizeof options, .home = home, .wait_ms = 120000};
  stele_db *db = NULL;
  return stele_open(&options, &db) == STELE_OK ? db : NULL;
}

/* ---- A thread ---- */

/* True: it was done.  False: it was interrupted, or is wrong and told so. */
static bool good(worker *w, stele_status status, const char *what) {
  if (status == STELE_OK) return true;
  if (status == STELE_CANCELLED) atomic_fetch_add(&w->shared->interrupted, 1);
  else if (atomic_fetch_add(&w->shared->wrong, 1) == 0)
    snprintf(w->shared->problem, sizeof w->shared->problem, "%s: %s", what, stele_error(w->db)->message);
  return false;
}

static bool call(worker *w, const char *method, const char *args) {
  char *reply = NULL;
  bool done = good(w, stele_call(w->db, method, args, &reply), method);
  stele_free(reply);
  return done;
}

static void write_one(worker *w, int which, int round) {
  char args[300];
  snprintf(args, sizeof args, stores[which].args, w->process, w->number, round);
  if (call(w, stores[which].write, args)) atomic_fetch_add(&w->shared->acknowledged[which], 1);
}

static void read_one(worker *w, int which) {
  char method[100];
  const char *tab = strchr(stores[which].read, '\t');
  snprintf(method, sizeof method, "%.*s", (int)(tab - stores[which].read), stores[which].read);
  call(w, method, tab + 1);
}

/* Two writes, and neither of them. */
static void take_back(worker *w, int which, int round) {
  char args[300];
  if (!good(w, stele_begin(w->db, stores[which].name), "begin")) return;
  for (int i = 1; i <= 2; i++) {
    snprintf(args, sizeof args, stores[which].args, w->process, w->number, i * 10000 + round);
    call(w, stores[which].write, args);
  }
  good(w, stele_rollback(w->db), "rollback");
}

static void *work(void *argument) {
  worker *w = argument;
  for (int round = 1; round <= w->settings->rounds && atomic_load(&w->shared->wrong) == 0; round++) {
    int which = (int)pick(w, STORES);
    switch (pick(w, 10)) {
      case 0: read_one(w, which); break;
      case 1: take_back(w, which, round); break;
      case 2: call(w, "conversation.search_messages", "{\"query\":\"mark\"}"); break;
      case 3: call(w, "telemetry.checkpoint_wal", "{\"mode\":\"passive\"}"); break;
      default: write_one(w, which, round); break;
    }
  }
  return NULL;
}

/* ---- A process ---- */

typedef struct disturber {
  worker *workers;
  int count;
  atomic_bool over;
} disturber;

static void *disturb(void *argument) {
  disturber *d = argument;
  for (int i = 0; !atomic_load(&d->over); i++) {
    stele_interrupt(d->workers[i % d->count].db);
    usleep(20000);
  }
  return NULL;
}

static int run_process(const settings *s, const char *home, shared *all, int process) {
  static worker workers[THREADS_MAX];
  disturber d = {.workers = workers, .count = s->threads};
  pthread_t disturbing;
  for (int i = 0; i < s->threads; i++) {
    workers[i] = (worker){.settings = s, .home = home, .shared = all, .process = process, .number = i,
                          .random = s->seed + (unsigned)(process * THREADS_MAX + i) * 7919u};
    if (!(workers[i].db = open_home(home))) return 1;
    for (int which = 0; which < STORES; which++) read_one(&workers[i], which); /* open: a sanitizer is slow at it, and would never get there */
  }
  for (int i = 0; i < s->threads; i++)
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) return 1;
  if (pthread_create(&disturbing, NULL, disturb, &d) != 0) return 1;
  for (int i = 0; i < s->threads; i++) pthread_join(workers[i].thread, NULL);
  atomic_store(&d.over, true);
  pthread_join(disturbing, NULL);
  for (int i = 0; i < s->threads; i++) stele_close(workers[i].db);
  return 0;
}

/* ---- All of it ---- */

static int64_t ask_file(const char *home, const char *name, const char *sql, char text[100]) {
  char path[300];
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  int64_t number = -1;
  snprintf(path, sizeof path, "%s/%s.db", home, name);
  if (sqlite3_open(path, &db) == SQLITE_OK && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
    number = sqlite3_column_int64(stmt, 0);
    snprintf(text, 100, "%s", (const char *)sqlite3_column_text(stmt, 0));
  }
  sqlite3_finalize(stmt);
  sqlite3_close(db);
  return number;
}

static bool check_store(const char *home, const store *s, int acknowledged) {
  char sql[100], text[100] = "";
  snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", s->table);
  int64_t rows = ask_file(home, s->name, sql, text);
  ask_file(home, s->name, "PRAGMA integrity_check(1)", text);
  bool right = rows == acknowledged && strcmp(text, "ok") == 0;
  printf("%sok - %s: %d writes were acknowledged, %lld are there, %s\n", right ? "" : "not ", s->name, acknowledged, (long long)rows, text);
  return right;
}

/* Every store is there, and the session. */
static bool prepare(const char *home) {
  stele_db *db = open_home(home);
  bool made = db && stele_call(db, "conversation.create_session", "{\"session_id\":\"s\",\"source\":\"cli\"}", NULL) == STELE_OK;
  for (int i = 1; i < STORES && made; i++) made = stele_begin(db, stores[i].name) == STELE_OK && stele_commit(db) == STELE_OK;
  stele_close(db);
  return made;
}

static int run_all(const settings *s, const char *home, shared *all) {
  int failed = 0, status;
  for (int p = 0; p < s->processes; p++) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) return 1;
    if (pid == 0) _exit(run_process(s, home, all, p + 1));
  }
  for (int p = 0; p < s->processes; p++) failed += wait(&status) < 0 || status != 0;
  printf("%sok - %d processes came to their end; %d calls were interrupted %s\n", failed || all->wrong ? "not " : "", s->processes,
         all->interrupted, all->problem);
  failed += all->wrong != 0;
  for (int i = 0; i < STORES; i++) failed += !check_store(home, &stores[i], all->acknowledged[i]);
  return failed;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

static bool set_option(settings *s, const char *name, const char *value) {
  if (strcmp(name, "--processes") == 0) s->processes = atoi(value);
  else if (strcmp(name, "--threads") == 0) s->threads = atoi(value);
  else if (strcmp(name, "--rounds") == 0) s->rounds = atoi(value);
  else if (strcmp(name, "--seed") == 0) s->seed = (unsigned)atoi(value);
  else return false;
  return true;
}

int main(int argc, char **argv) {
  settings s = {.processes = 3, .threads = 4, .rounds = 60, .seed = (unsigned)time(NULL)};
  char home[200];
  const char *where = getenv("TMPDIR");
  for (int i = 1; i < argc; i += 2)
    if (i + 1 == argc || !set_option(&s, argv[i], argv[i + 1])) return fprintf(stderr, "crowd: what is %s?\n", argv[i]), 2;
  if (s.threads < 1 || s.threads > THREADS_MAX || s.rounds > 9999) return fprintf(stderr, "crowd: a number is wrong\n"), 2;
  shared *all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  snprintf(home, sizeof home, "%.150s/stele-crowd-XXXXXX", where ? where : "/tmp");
  if (all == MAP_FAILED || !mkdtemp(home)) return 1;
  printf("# seed %u\n", s.seed);
  int failed = prepare(home) ? run_all(&s, home, all) : 1;
  nftw(home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return failed ? 1 : 0;
}
