/* first.c - see first.h.
**
** A thread of its own draws and asks, so that no thread of the server waits for a terminal or a search. */
#include "first.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "../door/json.h"
#include "progress.h"
#include "text.h"

#define TICK_MS 100

struct first {
  cli *c;
  stele_options place;
  void (*say)(stele_log_level level, const char *message);
  double began;
  bool person;
  pthread_t thread;
  pthread_mutex_t mutex; /* of what follows, and of the terminal */
  pthread_cond_t changed;
  char address[300]; /* "": it does not listen yet */
  bool import;       /* sessions are being taken in */
  int64_t done, total;
  bool closing;
};

bool first_seen(void) {
  return isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
}

const cli *first_cli(const first *f) {
  return f->c;
}

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

/* ---- What the server tells ---- */

void first_ready(void *user, const char *address) {
  first *f = user;
  pthread_mutex_lock(&f->mutex);
  snprintf(f->address, sizeof f->address, "%s", address);
  pthread_cond_signal(&f->changed);
  pthread_mutex_unlock(&f->mutex);
}

void first_progress(void *user, const char *what, int64_t done, int64_t total) {
  first *f = user;
  pthread_mutex_lock(&f->mutex);
  if (strcmp(what, "import") == 0) {
    f->done = done;
    f->total = total;
  } else if (f->import) { /* it watches, or has ended: all is in */
    f->import = false;
    pthread_cond_signal(&f->changed);
  }
  pthread_mutex_unlock(&f->mutex);
}

void first_log(void *user, stele_log_level level, const char *message) {
  first *f = user;
  pthread_mutex_lock(&f->mutex);
  out_log(&f->c->out, level, message);
  pthread_mutex_unlock(&f->mutex);
}

/* ---- What is shown; with the mutex held ---- */

static void tell(first *f, const char *line) {
  if (f->c->out.quiet) return;
  if (!f->person) {
    f->say(STELE_LOG_INFO, line);
    return;
  }
  progress_clear(&f->c->out);
  fprintf(stderr, "%s\n", line);
}

/* The token of this user; NULL: the home has none. */
static char *read_token(const first *f) {
  size_t length;
  int error;
  char *path = text_format("%s/server.token", f->place.home ? f->place.home : "");
  char *token = file_read(path, &length, &error);
  free(path);
  if (token) token[strcspn(token, "\r\n")] = '\0';
  return token;
}

/* Into a log the token does not go unasked: logs are kept and shown around. */
static void tell_address(first *f) {
  output *out = &f->c->out;
  bool open = f->person || f->c->options.local[OPTION_PRINT_TOKEN];
  char *token = read_token(f);
  const char *between = token && open ? "/#token=" : "/", *shown = token && open ? token : "";
  if (f->c->options.json)
    out_format(out, "{\"address\":\"%s%s%s\"}\n", f->address, between, shown);
  else if (f->person)
    out_format(out, "\n  %s%s%s%s%s\n\n", out->bold, f->address, between, shown, out->normal);
  else
    out_format(out, "%s%s%s\n", f->address, between, shown);
  fflush(stdout);
  if (f->person) tell(f, token ? "The dashboard, with your token in the address. Ctrl-C stops it; what is taken in stays."
                               : "The dashboard. It wants a token: `stele token create browser` makes one. Ctrl-C stops it.");
  else if (!open)
    tell(f, "the token is in server.token in the home; --print-token prints it with the address");
  free(token);
}

/* ---- What is asked of the stores; without the mutex ---- */

static int64_t number_of(stele_db *db, const char *method, const char *name) {
  char *reply = NULL;
  if (stele_call(db, method, NULL, &reply) != STELE_OK) return 0;
  int64_t number = json_int(json_member(json_read(reply, strlen(reply)), name), 0);
  stele_free(reply);
  return number;
}

/* Does a search find something?  Words that nearly every conversation has, in several languages. */
static bool finds(stele_db *db) {
  static const char query[] = "{\"query\":\"the OR a OR to OR der OR de OR la OR 的 OR を OR и\",\"match\":\"words\",\"limit\":1}";
  char *reply = NULL;
  bool found = stele_call(db, "conversation.search_messages", query, &reply) == STELE_OK && reply[1] == '{';
  stele_free(reply);
  return found;
}

static void search(first *f, bool *searched) {
  stele_db *db = NULL;
  stele_options place = f->place;
  place.flags |= STELE_OPEN_READONLY;
  if (stele_open(&place, &db) == STELE_OK && finds(db)) {
    char *line = text_format("first search possible after %.1f s", now() - f->began);
    pthread_mutex_lock(&f->mutex);
    tell(f, line);
    pthread_mutex_unlock(&f->mutex);
    free(line);
    *searched = true;
  }
  stele_close(db);
}

static void tell_all(first *f, bool imported) {
  stele_db *db = NULL;
  stele_options place = f->place;
  place.flags |= STELE_OPEN_READONLY;
  int64_t sessions = 0, messages = 0;
  if (stele_open(&place, &db) == STELE_OK) {
    sessions = number_of(db, "conversation.session_count", "count");
    messages = number_of(db, "conversation.message_count", "count");
  }
  stele_close(db);
  char *line = sessions ? text_format("%" PRId64 " sessions with %" PRId64 " messages are here%s", sessions, messages,
                                      imported ? "; new ones come in as they go on" : "")
                        : text_format("no sessions are here yet; `stele serve --sample` shows some that nobody had");
  pthread_mutex_lock(&f->mutex);
  tell(f, line);
  pthread_mutex_unlock(&f->mutex);
  free(line);
}

/* ---- The thread ---- */

static void wait(first *f) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += TICK_MS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&f->changed, &f->mutex, &until);
}

static void *run(void *user) {
  first *f = user;
  bool searched = false, wanted = f->import;
  pthread_mutex_lock(&f->mutex);
  while (!f->closing && !*f->address) pthread_cond_wait(&f->changed, &f->mutex);
  if (!f->closing) tell_address(f);
  for (bool going = true; going && !f->closing;) {
    bool import = f->import, some = f->done > 0;
    if (import && some) progress_show(&f->c->out, "import", f->done, f->total);
    pthread_mutex_unlock(&f->mutex);
    if (!searched && (some || !import)) search(f, &searched);
    if (!import) tell_all(f, wanted);
    going = import;
    pthread_mutex_lock(&f->mutex);
    if (going && !f->closing) wait(f);
  }
  pthread_mutex_unlock(&f->mutex);
  return NULL;
}

/* Signals are for the server. */
static bool start(first *f) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(&f->thread, NULL, run, f) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

first *first_open(cli *c, const stele_options *place, bool import, void (*say)(stele_log_level, const char *)) {
  first *f = text_need(calloc(1, sizeof *f));
  *f = (first){.c = c, .place = *place, .say = say, .began = now(), .person = first_seen(), .import = import};
  pthread_mutex_init(&f->mutex, NULL);
  pthread_cond_init(&f->changed, NULL);
  text_need(start(f) ? f : NULL);
  return f;
}

void first_close(first *f) {
  pthread_mutex_lock(&f->mutex);
  f->closing = true;
  pthread_cond_signal(&f->changed);
  pthread_mutex_unlock(&f->mutex);
  pthread_join(f->thread, NULL);
  progress_clear(&f->c->out);
  pthread_cond_destroy(&f->changed);
  pthread_mutex_destroy(&f->mutex);
  free(f);
}
