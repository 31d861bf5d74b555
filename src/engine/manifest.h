/* manifest.h - what is known of a backup, in a file beside it: FILE.json.
**
** It is written when the backup has been verified, and before it gets its name: a backup with a manifest was whole when it
** was made, and is still what it was if its bytes have that hash. */
#ifndef ST_MANIFEST_H
#define ST_MANIFEST_H

#include "base/time.h"
#include "engine/driver.h"
#include "engine/durable.h"

typedef struct st_manifest {
  char store[64];
  int version;   /* of the store */
  st_micros made; /* to the second */
  int64_t bytes;
  char sha256[ST_SHA256_TEXT]; /* of the file */
  st_contents contents;
} st_manifest;

/* Where the manifest of a backup is.  False: the path is too long. */
bool st_manifest_path(const char *backup, char out[4096]);
stele_status st_manifest_write(const char *backup, const st_manifest *manifest, char problem[ST_PROBLEM_MAX]);
/* STELE_NOTFOUND: it has none.  STELE_FORMAT: that is none.  After STELE_OK: st_contents_free() what it holds. */
stele_status st_manifest_read(const char *backup, st_manifest *out, char problem[ST_PROBLEM_MAX]);

/* The hash of a file's bytes, and how many there are.  With to >= 0 they are written there as they are read. */
stele_status st_file_sha256(const char *path, int to, const st_watch *watch, char out[ST_SHA256_TEXT], int64_t *bytes,
                            char problem[ST_PROBLEM_MAX]);

#endif
