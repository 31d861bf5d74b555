/* guard.c - see guard.h. */
#include "engine/guard.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* getpid() is a system call, and every public function would make one. */
static _Atomic pid_t known;

static void forget(void) { known = 0; }
static void watch_forks(void) { pthread_atfork(NULL, NULL, forget); }

pid_t st_guard_pid(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pid_t pid = atomic_load_explicit(&known, memory_order_relaxed);
  if (pid) return pid;
  pthread_once(&once, watch_forks);
  pid = getpid();
  atomic_store_explicit(&known, pid, memory_order_relaxed);
  return pid;
}

stele_status st_guard_fail(stele_db *db, stele_status status, const char *format, ...) {
  va_list args;
  db->error.status = status;
  va_start(args, format);
  vsnprintf(db->error.message, sizeof db->error.message, format, args);
  va_end(args);
  return status;
}

stele_status st_guard(stele_db *db) {
  if (db) {
    st_str_clear(&db->notes);
    atomic_store_explicit(&db->interrupted, false, memory_order_relaxed);
  }
  return st_guard_again(db);
}

stele_status st_guard_again(stele_db *db) {
  if (!db) return STELE_MISUSE;
  db->error.status = STELE_OK;
  db->error.method[0] = db->error.field[0] = db->error.message[0] = db->error.hint[0] = '\0';
  if (db->pid != st_guard_pid())
    return st_guard_fail(db, STELE_MISUSE, "this handle was opened before fork(): open another in the child");
  return STELE_OK;
}
