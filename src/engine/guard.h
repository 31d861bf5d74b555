/* guard.h - the first thing every public function does with a handle. */
#ifndef ST_GUARD_H
#define ST_GUARD_H

#include "engine/handle.h"

/* Forget the last failure and its remarks.  STELE_MISUSE: no handle, or one of a parent process. */
stele_status st_guard(stele_db *db);
/* The same within a call: its remarks stay. */
stele_status st_guard_again(stele_db *db);

/* This process, without asking the system each time. */
pid_t st_guard_pid(void);

/* Set the handle's failure; answers the status. */
stele_status st_guard_fail(stele_db *db, stele_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
