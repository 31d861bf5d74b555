/* fault.c - counts what could fail, and says when.  See fault.h. */
#include "fault/fault.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The library's threads (queue, turn) are counted too. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool inside;
static fault_kind armed;
static fault_kind files = FAULT_IO; /* what every file operation could do */
static int64_t at;
static bool stays;
static fault_counts counts;
static int64_t places[4096];

/* Under the mutex. */
static void note_place(void) {
  if (counts.nplaces < sizeof places / sizeof *places && fault_place_is_new()) places[counts.nplaces++] = counts.calls;
}

bool fault_due(fault_kind kind, const char *what) {
  bool due = false;
  pthread_mutex_lock(&mutex);
  if (inside && armed == FAULT_KILL && kind == files && ++counts.calls == at) kill(getpid(), SIGKILL);
  if (inside && kind == armed) {
    counts.calls++;
    if (!at) note_place();
    due = at && (counts.calls == at || (stays && counts.calls > at));
    if (due) {
      counts.fired++;
      counts.syncs += strncmp(what, "sync", 4) == 0;
      counts.last = what;
    }
  }
  if (due && kind == FAULT_STATEMENT) kill(getpid(), SIGKILL);
  pthread_mutex_unlock(&mutex);
  return due;
}

void fault_arm(fault_kind kind, int64_t n, bool persistent) {
  pthread_mutex_lock(&mutex);
  armed = kind;
  at = n;
  stays = persistent;
  counts = (fault_counts){.last = "", .places = places};
  pthread_mutex_unlock(&mutex);
}

fault_counts fault_disarm(void) {
  fault_counts found;
  pthread_mutex_lock(&mutex);
  armed = FAULT_NONE;
  found = counts;
  counts = (fault_counts){.last = "", .places = places};
  pthread_mutex_unlock(&mutex);
  return found;
}

static void set_inside(bool now) {
  pthread_mutex_lock(&mutex);
  inside = now;
  pthread_mutex_unlock(&mutex);
}

void fault_enter(void) { set_inside(true); }
void fault_leave(void) { set_inside(false); }

bool fault_install(bool system) {
  if (system) files = FAULT_EIO;
  return fault_alloc_install() && (system || fault_vfs_install()) && fault_statement_install();
}
