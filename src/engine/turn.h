/* turn.h - whose turn it is to write: a fair queue for threads and processes alike.
**
** Two bytes of a lock file, locked with open-file-description locks: byte 1 is the place at the
** head of the queue, byte 0 is the turn.  Whoever waits for the turn holds the head of the queue,
** so newcomers line up in the kernel, in order, and none is overtaken for long.
**
** Only fairness rests on this.  SQLite's own locks keep the data right even if the file is lost. */
#ifndef ST_TURN_H
#define ST_TURN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stele.h"

typedef struct st_turn st_turn;

/* Where the lock file of a store lies: beside it.  telemetry.db has telemetry.lock.  False: the path is too long. */
bool st_turn_path(const char *location, char out[4096]);

/* Open, or make (mode 0600), the lock file.  STELE_IO: it cannot be had; STELE_NOMEM. */
stele_status st_turn_open(const char *path, st_turn **out);

/* A wait for the turn ends soon after *stopped (NULL: it never does) is set. */
void st_turn_stopped_by(st_turn *turn, const atomic_bool *stopped);

/* Wait for the turn.  STELE_BUSY: it did not come within wait_ms; STELE_CANCELLED: the wait was stopped.  *waited_us: 0 when
** it was free. */
stele_status st_turn_take(st_turn *turn, int wait_ms, int64_t *waited_us);
void st_turn_leave(st_turn *turn);

void st_turn_close(st_turn *turn);

#endif
