/* durable.h - files that are whole or not there: written under another name, synced, then given their own.
**
** Each answers STELE_OK, or STELE_IO (STELE_FULL: no space left) with the reason in problem. */
#ifndef ST_DURABLE_H
#define ST_DURABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "stele.h"

#define ST_PROBLEM_MAX 400

/* Make an empty file for its owner only, and hold it: no other process that asks so holds it until the descriptor is
** closed.  STELE_BUSY: it is held, or there already. */
stele_status st_hold_new(const char *path, int *fd, char problem[ST_PROBLEM_MAX]);
/* Remove a file that a killed process held, with its journals.  False: it is still held, or cannot be removed. */
bool st_clear_abandoned(const char *path);
/* Remove a file and SQLite's journals of it; with keep, only these. */
void st_clear_away(const char *path, bool keep);

stele_status st_sync_file(const char *path, char problem[ST_PROBLEM_MAX]);
/* The name itself becomes durable (sync_name.h). */
stele_status st_keep_name(const char *path, char problem[ST_PROBLEM_MAX]);
/* Sync a file, and give it its name.  After a failure there is none of that name. */
stele_status st_give_name(const char *partial, const char *path, char problem[ST_PROBLEM_MAX]);
/* All of them; false: errno says why. */
bool st_write_all(int fd, const char *bytes, size_t length);
/* A new file with these bytes, synced. */
stele_status st_write_new(const char *path, const char *bytes, size_t length, char problem[ST_PROBLEM_MAX]);

/* Fill in problem by errno; answers the status. */
stele_status st_file_failed(const char *path, char problem[ST_PROBLEM_MAX]);

#endif
