/* fault.h - lets the N-th allocation or file operation of the library fail.
**
** Faults are counted, and happen, only between fault_enter() and fault_leave(): a test puts these
** around the library's functions and is itself never hit. */
#ifndef ST_TEST_FAULT_H
#define ST_TEST_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fault_kind {
  FAULT_NONE,
  FAULT_ALLOC, /* an allocation, of the library or of SQLite, finds no memory */
  FAULT_ARENA, /* a piece of an arena finds no memory, where an allocation would be rare */
  FAULT_IO,    /* a file operation fails with its SQLITE_IOERR_*; a write has written half by then */
  FAULT_FULL,  /* a write finds the disk full, half way */
  FAULT_SHORT, /* the write-ahead log ends in the middle of what is read.  (Elsewhere SQLite takes a
               ** short read for the end of the file, rightly, and nothing fails.) */
  FAULT_BUSY,  /* a lock is held by somebody else */
  FAULT_SYNC,  /* a sync fails, and nothing else */
  FAULT_EIO,    /* a function of the system fails with EIO: see disk.h */
  FAULT_ENOSPC, /* one that needs room writes half of it, or finds none */
  FAULT_KILL,  /* at a file operation, of SQLite or of the system, the process is killed, as by kill -9 */
  FAULT_STATEMENT /* likewise when SQLite is about to run a statement, be it one of a trigger */
} fault_kind;

/* What happened since fault_arm(). */
typedef struct fault_counts {
  int64_t calls; /* that could have failed */
  int64_t fired; /* that did */
  int64_t syncs; /* of these, syncs */
  const char *last; /* the operation that did, such as "write wal"; "" when none */
  const int64_t *places; /* fault_arm() with 0: which of the calls came from a place that none came from before */
  size_t nplaces;
} fault_counts;

/* Put allocator and statements under control and, unless the system's functions are to be used, the file system.  Once,
** before SQLite is used.  False: SQLite refused. */
bool fault_install(bool system);

/* Let the n-th of what could fail in this way do so; with persistent, all after it too.  0: none, but note the places. */
void fault_arm(fault_kind kind, int64_t n, bool persistent);
/* No more faults; answers what happened. */
fault_counts fault_disarm(void);

void fault_enter(void);
void fault_leave(void);

/* ---- For fault.c: fault_place.c ---- */

/* Is this the first call from this place of the library?  A place is who called, and who called that, a few times over; what SQLite
** does in between is one. */
bool fault_place_is_new(void);

/* ---- For disk.c, fault_alloc.c, fault_statement.c and fault_vfs.c ---- */

/* Is this one to fail?  what: its name, constant. */
bool fault_due(fault_kind kind, const char *what);
bool fault_alloc_install(void);
bool fault_vfs_install(void);
bool fault_statement_install(void);

#endif
