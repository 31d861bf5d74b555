/* rowinfo.h - what ranking and filtering must know of every document: its kind, session, project, role,
** time and length.
**
** Kept in the index file as packed arrays (packed.h).  Lengths are in one of their own, two thousand to a page: ranking
** the documents that have a word needs nothing else, so that a first search reads a few hundred pages at most of a
** million documents. */
#ifndef ST_ROWINFO_H
#define ST_ROWINFO_H

#include "search/packed.h"

typedef struct st_rowinfo {
  double time;
  uint32_t session; /* numbers in the index's tables of names; 0: none */
  uint32_t project;
  uint32_t length; /* in tokens */
  uint16_t role;   /* likewise */
  uint16_t kind;   /* its source: the first is 1; 0: there is no such document */
} st_rowinfo;

#define ST_ROWINFO_TABLES ST_PACKED_TABLE("stele_rows") ST_PACKED_TABLE("stele_lengths")

typedef struct st_rowinfos {
  st_packed rows;
  st_packed lengths; /* of 16 bits; what is longer is looked up in its row */
  int error;         /* the SQLite result code of what could not be read */
} st_rowinfos;

/* See what another process has written since.  A SQLite result code. */
int st_rowinfos_refresh(st_rowinfos *infos, sqlite3 *db);
/* After a failure: what could not be read is tried again. */
void st_rowinfos_retry(st_rowinfos *infos);
/* The row of that id, or NULL: there is none, or `error` tells why it could not be read. */
const st_rowinfo *st_rowinfos_get(st_rowinfos *infos, int64_t id);
/* Its length alone, in tokens; 0: there is none, or `error`. */
uint32_t st_rowinfos_length(st_rowinfos *infos, int64_t id);
/* False: out of memory, or `error`.  All zero: there is no such row any more. */
bool st_rowinfos_put(st_rowinfos *infos, int64_t id, const st_rowinfo *row);
/* No row has this id or a greater one. */
int64_t st_rowinfos_end(const st_rowinfos *infos);
/* Write what was changed.  A SQLite result code. */
int st_rowinfos_save(st_rowinfos *infos);
/* Forget all: it is read anew. */
void st_rowinfos_free(st_rowinfos *infos);

#endif
