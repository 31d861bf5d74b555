/* sync_vfs.c - see sync_vfs.h.
**
** The files stay SQLite's own: only their table of functions is replaced, by a copy in which xSync
** is timed.  SQLite has a few such tables (with and without locks), so there is a copy of each. */
#include "sync_vfs.h"

#include <sqlite3.h>

#include "bench.h"

#define TABLES 8

static sqlite3_vfs *inner, outer;
static const sqlite3_io_methods *originals[TABLES];
static sqlite3_io_methods copies[TABLES];
static int (*inner_sync)(sqlite3_file *file, int flags);
static bench_syncs syncs; /* no two threads of a benchmark sync */

static int timed_sync(sqlite3_file *file, int flags) {
  double start = bench_now();
  int code = inner_sync(file, flags);
  double took = bench_now() - start;
  syncs.count++;
  syncs.seconds += took;
  if (took > syncs.slowest) syncs.slowest = took;
  return code;
}

static const sqlite3_io_methods *copy_of(const sqlite3_io_methods *original) {
  for (int i = 0; i < TABLES; i++) {
    if (originals[i] == original) return &copies[i];
    if (originals[i]) continue;
    if (inner_sync && inner_sync != original->xSync) break;
    inner_sync = original->xSync;
    originals[i] = original;
    copies[i] = *original;
    copies[i].xSync = timed_sync;
    return &copies[i];
  }
  bench_die("this SQLite has more ways to sync than the timer knows");
}

static int timed_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  int code = inner->xOpen(inner, name, file, flags, out);
  if (code == SQLITE_OK && file->pMethods) file->pMethods = copy_of(file->pMethods);
  return code;
}

void bench_syncs_watch(void) {
  inner = sqlite3_vfs_find(NULL);
  outer = *inner;
  outer.zName = "bench-timed";
  outer.xOpen = timed_open;
  if (sqlite3_vfs_register(&outer, 1) != SQLITE_OK) bench_die("the timer cannot be put before SQLite");
}

bench_syncs bench_syncs_read(void) {
  return syncs;
}
void bench_syncs_clear(void) {
  syncs = (bench_syncs){0};
}
