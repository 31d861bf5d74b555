/* index_gate.c - see index_gate.h. */
#include "search/index_gate.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "engine/sqlite_driver.h"

static int open_directory(const char *path) {
  char directory[4096];
  const char *slash = strrchr(path, '/');
  if (!slash) snprintf(directory, sizeof directory, ".");
  else snprintf(directory, sizeof directory, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  return open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int go_without(const st_opened *store) {
  if (store->target.log)
    store->target.log(store->target.user, STELE_LOG_WARNING,
                      "the directory of the search index cannot be locked: an index that is made anew may disturb a search elsewhere");
  return SQLITE_OK;
}

int st_index_gate_enter(const st_opened *store, const char *path, int *gate) {
  *gate = -1;
  if (strcmp(path, ":memory:") == 0) return SQLITE_OK;
  *gate = open_directory(path);
  if (*gate < 0) return errno == EACCES ? go_without(store) : SQLITE_CANTOPEN;
  for (int tries = 0; flock(*gate, LOCK_EX | LOCK_NB) != 0;) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return go_without(store);
    if (!st_sqlite_busy(store->conn, tries++)) return SQLITE_BUSY;
  }
  return SQLITE_OK;
}

void st_index_gate_leave(int gate) {
  if (gate < 0) return;
  flock(gate, LOCK_UN); /* a child that was forked meanwhile has the descriptor too */
  close(gate);
}
