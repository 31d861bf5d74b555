/* backups.h - the backups that are in a directory, by their names: STORE-TIME.db, and STORE-TIME-1.db of the same second. */
#ifndef ST_BACKUPS_H
#define ST_BACKUPS_H

#include "engine/call.h"
#include "engine/manifest.h"

/* How much is known of one. */
#define ST_BACKUP_STATES(X) \
  X(VERIFIED, "verified")   /* it has a manifest, and the size that says */ \
  X(UNKNOWN, "unknown")     /* it has none: an older Stele made it, or it was copied without */ \
  X(CHANGED, "changed")     /* it is not what its manifest says */

typedef enum st_backup_state {
#define ST_X(name, text) ST_BACKUP_##name,
  ST_BACKUP_STATES(ST_X)
#undef ST_X
} st_backup_state;
const char *st_backup_state_name(st_backup_state state);

typedef struct st_backup {
  int store; /* of the registry */
  const char *path;
  st_micros made;
  int again;           /* N of STORE-TIME-N.db */
  int64_t bytes;       /* as the file is */
  st_backup_state state;
  int version;         /* these four if it has a manifest */
  int64_t rows;
  size_t tables;
  const char *sha256;
} st_backup;

typedef struct st_backups {
  st_backup *all; /* by store, the newest first; in the call's memory */
  size_t count;
} st_backups;

/* backups, in the home; or what the argument says.  NULL: there is neither, which is told. */
const char *st_backups_directory(st_call *call, int param);

/* Those of one store, or with -1 of all, made before the time (INT64_MAX: whenever).  A directory that is not there has
** none. */
void st_backups_find(st_call *call, const char *directory, int store, st_micros until, st_backups *out);

/* One by its path, of that store, or with -1 of the one that its name or its manifest says. */
void st_backups_one(st_call *call, const char *path, int store, st_backups *out);

/* What the name of a file says; false: it is none of ours.  The suffix is what stands behind the time: ".db". */
bool st_backup_name(const char *file, const char *suffix, int *store, st_micros *made, int *again);

/* Is it, byte by byte, what its manifest says?  STELE_CORRUPT: no. */
stele_status st_backup_unchanged(const st_backup *backup, const st_watch *watch, char problem[ST_PROBLEM_MAX]);

/* Clear away what killed backups of the store left there. */
void st_backups_clear(const char *directory, const char *store);

#endif
