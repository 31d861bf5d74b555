/* import.h - importing transcripts: what the methods import_transcripts and watch_transcripts share. */
#ifndef ST_IMPORT_H
#define ST_IMPORT_H

#include "capture/batch.h"
#include "capture/capturing.h"
#include "capture/walk.h"
#include "capture/writer.h"
#include "engine/call.h"

#define ST_PROBLEMS_MAX 100 /* bad places told; all are counted */

/* Where to look: a file or directory, and whose it is (NULL: to be found out). */
typedef struct st_place {
  const char *path;
  const st_reader *reader;
} st_place;

typedef struct st_import {
  st_call *call;
  const st_reader *only; /* the harness asked for; NULL: all */
  const char *const *except; /* harnesses that are not, NULL-terminated */
  st_place *places;
  size_t nplaces;
  const char *const *ignore; /* NULL-terminated */
  double since;              /* 0: ever */
  bool dry_run, again;
  st_capturing capturing; /* its `on`: the capture store gets its share */
  int64_t files, unchanged, ignored, unfinished, aside, redacted, bad, bytes; /* so far */
  int64_t total; /* bytes to read in this pass */
  int64_t done;
  st_counted counted;
  bool (*directory)(void *user, const char *path); /* not NULL: told every directory before it is read */
  void *user;
  st_numbers dry; /* sessions that a dry run met */
  st_str problems; /* JSON texts, with commas between */
  int nproblems;
  /* for one pass */
  const st_reader *reader; /* of the place being walked */
  st_job **jobs;
  size_t njobs, room;
} st_import;

/* From the call's arguments; the call fails if they are wrong, or the store is not Stele's own. */
void st_import_init(st_import *import, st_call *call);
void st_import_free(st_import *import);

/* Look at all places and take in what is new. */
void st_import_pass(st_import *import);
/* The same for some files or directories only; those outside the places are left alone. */
void st_import_some(st_import *import, char *const *paths, size_t count);

/* found.c: a file is looked at, and becomes a job if there is something to read (for st_walk); which job comes first
** (for qsort). */
bool st_import_file(void *import, const char *path, size_t root, const struct stat *found);
int st_import_order(const void *one, const void *other);

/* Is this a harness whose transcripts are wanted? */
bool st_import_wants(const st_import *import, const st_reader *reader);

void st_import_reply(st_import *import);

#endif
