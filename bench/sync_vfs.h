/* sync_vfs.h - times every sync that SQLite makes in this process, Stele's and a bare loop's alike. */
#ifndef BENCH_SYNC_VFS_H
#define BENCH_SYNC_VFS_H

#include <stdint.h>

typedef struct bench_syncs {
  int64_t count;
  double seconds; /* all together */
  double slowest; /* of one, in seconds */
} bench_syncs;

/* Put the timer before SQLite's own file access, for files opened from now on. */
void bench_syncs_watch(void);
/* What was counted since the last bench_syncs_clear(). */
bench_syncs bench_syncs_read(void);
void bench_syncs_clear(void);

#endif
