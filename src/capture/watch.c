/* watch.c - transcripts are taken in as they grow.  The system tells which directories had changes (inotify), and only
** the files that are named are looked at; where it cannot, everything is looked at from time to time. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/time.h"
#include "capture/capture.h"
#include "capture/import.h"
#include "engine/handle.h"
#include "registry_ids.h"

#define WAKE_MS 1000   /* how often it is asked whether to stop */
#define SETTLE_MS 50   /* several changes of one moment are taken together, */
#define SETTLE_MAX 500 /* but not for longer than this */
#define POLL_MS 2000   /* where the system tells nothing */
#define EVENTS (IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR)

typedef struct watched {
  int number; /* of the watch */
  char *path;
} watched;

typedef struct watch {
  st_import import;
  int fd; /* -1: there is none, everything is looked at */
  watched *directories;
  size_t ndirectories, room;
  char **changed; /* paths */
  size_t nchanged, changed_room;
  bool all; /* look at everything: changes were lost, or a place may have come into being */
  bool nomem;
} watch;

static void *grow(void *list, size_t count, size_t *room, size_t size) {
  if (count < *room) return list;
  size_t more = *room ? *room * 2 : 32;
  void *longer = st_realloc(list, more * size);
  if (longer) *room = more;
  return longer;
}

static void stop_telling(watch *w) {
  if (w->fd >= 0) close(w->fd);
  w->fd = -1;
}

/* Watch a directory.  The system may have no more watches to give: then it is done without. */
static bool add_directory(void *user, const char *path) {
  watch *w = user;
  if (w->fd < 0) return true;
  int number = inotify_add_watch(w->fd, path, EVENTS);
  if (number < 0) {
    if (errno == ENOSPC || errno == ENOMEM) stop_telling(w);
    return true;
  }
  for (size_t i = 0; i < w->ndirectories; i++) {
    if (w->directories[i].number != number) continue;
    if (strcmp(w->directories[i].path, path) == 0) return true;
    st_free(w->directories[i].path); /* it was renamed */
    w->directories[i] = w->directories[--w->ndirectories];
    break;
  }
  watched *list = grow(w->directories, w->ndirectories, &w->room, sizeof *list);
  char *copy = st_strdup(path);
  if (list) w->directories = list;
  if (!list || !copy) {
    st_free(copy);
    w->nomem = true;
    return false;
  }
  w->directories[w->ndirectories++] = (watched){number, copy};
  return true;
}

/* The directory of a place that is a file, and what is nearest above one that does not exist yet. */
static void watch_above(watch *w) {
  for (size_t i = 0; i < w->import.nplaces; i++) {
    char *path = st_strdup(w->import.places[i].path);
    char *slash;
    if (!path) w->nomem = true;
    while (path && (slash = strrchr(path, '/')) != NULL && slash > path) {
      *slash = '\0';
      if (access(path, F_OK) != 0) continue;
      if (access(w->import.places[i].path, F_OK) != 0 || !w->import.places[i].reader) add_directory(w, path);
      break;
    }
    st_free(path);
  }
}

/* ---- What changed --------------------------------------------------------------------------- */

static void add_changed(watch *w, const char *directory, const char *name) {
  size_t length = strlen(name);
  if (length > 4 && (strcmp(name + length - 4, "-wal") == 0 || strcmp(name + length - 4, "-shm") == 0)) length -= 4;
  char **list = grow(w->changed, w->nchanged, &w->changed_room, sizeof *list);
  if (list) w->changed = list;
  char *path = list ? st_alloc(strlen(directory) + length + 2) : NULL;
  if (!path) {
    w->nomem = true;
    return;
  }
  size_t above = strlen(directory);
  memcpy(path, directory, above);
  path[above] = '/';
  memcpy(path + above + 1, name, length);
  path[above + 1 + length] = '\0';
  for (size_t i = 0; i < w->nchanged; i++) {
    if (strcmp(w->changed[i], path) != 0) continue;
    st_free(path);
    return;
  }
  w->changed[w->nchanged++] = path;
}

static bool is_above_a_place(const watch *w, const char *path) {
  size_t length = strlen(path);
  for (size_t i = 0; i < w->import.nplaces; i++)
    if (strncmp(w->import.places[i].path, path, length) == 0 && w->import.places[i].path[length] == '/') return true;
  return false;
}

static void take_event(watch *w, const struct inotify_event *event) {
  if (event->mask & IN_Q_OVERFLOW) w->all = true;
  for (size_t i = 0; i < w->ndirectories; i++) {
    watched *d = &w->directories[i];
    if (d->number != event->wd) continue;
    if (event->mask & IN_IGNORED) { /* the directory is gone */
      st_free(d->path);
      *d = w->directories[--w->ndirectories];
      w->all = true; /* it may come again */
    } else if (event->len) {
      add_changed(w, d->path, event->name);
      if ((event->mask & IN_ISDIR) && is_above_a_place(w, d->path)) w->all = true;
    }
    return;
  }
}

/* Wait for something to read; false: nothing came in that time. */
static bool wait_for(int fd, int64_t ms) {
  struct pollfd one = {.fd = fd, .events = POLLIN};
  return poll(&one, 1, (int)ms) > 0;
}

static void take_events(watch *w) {
  _Alignas(struct inotify_event) char buffer[16384];
  ssize_t length = read(w->fd, buffer, sizeof buffer);
  for (char *at = buffer; length > 0 && at < buffer + length;) {
    const struct inotify_event *event = (const struct inotify_event *)(void *)at;
    take_event(w, event);
    at += sizeof *event + event->len;
  }
}

/* ---- The watch ------------------------------------------------------------------------------ */

static bool is_stopped(watch *w) {
  stele_db *db = w->import.call->db;
  return db->progress && db->progress(db->user, "watch", w->import.counted.messages, 0) != 0;
}

static void forget_changed(watch *w) {
  for (size_t i = 0; i < w->nchanged; i++) st_free(w->changed[i]);
  w->nchanged = 0;
}

static void look_at_all(watch *w) {
  st_import *im = &w->import;
  int64_t files = im->files, unchanged = im->unchanged, ignored = im->ignored;
  st_import_pass(im);
  watch_above(w);
  im->files = files;
  im->unchanged = unchanged;
  im->ignored = ignored;
}

static void look(watch *w) {
  if (w->all) look_at_all(w);
  else if (w->nchanged) st_import_some(&w->import, w->changed, w->nchanged);
  w->all = false;
  forget_changed(w);
}

/* Wait for changes, up to a time on the clock; true: there are some. */
static bool await(watch *w, int64_t until) {
  int64_t now = st_monotonic_ms();
  int64_t left = until - now < WAKE_MS ? until - now : WAKE_MS;
  if (w->fd < 0) {
    struct timespec nap = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};
    nanosleep(&nap, NULL);
    return false;
  }
  if (!wait_for(w->fd, left)) return false;
  do take_events(w);
  while (st_monotonic_ms() - now < SETTLE_MAX && wait_for(w->fd, SETTLE_MS));
  return true;
}

static void follow(watch *w, int64_t until) {
  int64_t next_poll = st_monotonic_ms() + POLL_MS;
  while (st_ok(w->import.call) && !w->nomem && !is_stopped(w)) {
    int64_t now = st_monotonic_ms();
    if (now >= until) break;
    if (await(w, w->fd < 0 && next_poll < until ? next_poll : until)) {
      look(w);
    } else if (w->fd < 0 && st_monotonic_ms() >= next_poll) {
      w->all = true;
      look(w);
      next_poll = st_monotonic_ms() + POLL_MS;
    }
  }
}

/* The end of a watch is no failure. */
static void forgive_stop(st_call *call) {
  if (call->error->status == STELE_CANCELLED) memset(call->error, 0, sizeof *call->error);
}

static void free_watch(watch *w) {
  stop_telling(w);
  forget_changed(w);
  st_free(w->changed);
  for (size_t i = 0; i < w->ndirectories; i++) st_free(w->directories[i].path);
  st_free(w->directories);
  st_import_free(&w->import);
}

void st_conversation_watch_transcripts(st_call *call) {
  watch w = {.fd = -1};
  int64_t until = INT64_MAX;
  bool poll_only = st_arg_int(call, ST_P_CONVERSATION_WATCH_TRANSCRIPTS_POLL) != 0;
  st_import_init(&w.import, call);
  if (st_has(call, ST_P_CONVERSATION_WATCH_TRANSCRIPTS_DURATION))
    until = st_monotonic_ms() + (int64_t)(st_arg_real(call, ST_P_CONVERSATION_WATCH_TRANSCRIPTS_DURATION) * 1000);
  if (st_ok(call)) {
    if (!poll_only) w.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    w.import.directory = add_directory;
    w.import.user = &w;
    watch_above(&w);
    st_import_pass(&w.import);
    w.import.again = false;
    follow(&w, until);
  }
  if (w.nomem) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  forgive_stop(call);
  if (st_ok(call)) st_import_reply(&w.import);
  free_watch(&w);
}
