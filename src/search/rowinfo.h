/* rowinfo.h - what ranking and filtering must know of every document: its kind, session, project, role,
** time and length.
**
** Kept in the index file as packed arrays (packed.h), one of each: two thousand lengths are on a page, and ranking the documents
** that have a word needs nothing else; a filter needs what it asks for.  So a first search reads a few hundred pages at most
** of a million documents.  Between which times the documents of four thousand numbers are (a span) tells which of them need
** not be looked at where the newest are wanted, or those of a day. */
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

#define ST_SPAN 4096

/* Wide enough for every document that one of its numbers ever had. */
typedef struct st_span {
  double first, last;
  int64_t some; /* 0: there never was any */
} st_span;

#define ST_ROWINFO_TABLES                                                                                                  \
  ST_PACKED_TABLE("stele_times") ST_PACKED_TABLE("stele_session_of") ST_PACKED_TABLE("stele_project_of")                   \
  ST_PACKED_TABLE("stele_kinds") ST_PACKED_TABLE("stele_lengths") ST_PACKED_TABLE("stele_long") ST_PACKED_TABLE("stele_spans")

/* What a document is. */
typedef struct st_kind {
  uint16_t role; /* its number */
  uint16_t kind; /* its source: the first is 1; 0: there is no such document */
} st_kind;

typedef struct st_rowinfos {
  st_packed times, sessions, projects, kinds;
  st_packed lengths, longs; /* of 16 bits; of what is longer, of 32 */
  st_packed spans;
  int error;         /* the SQLite result code of what could not be read */
} st_rowinfos;

/* See what another process has written since; `last` is the greatest id that a document of it ever had.  A SQLite result code. */
int st_rowinfos_refresh(st_rowinfos *infos, sqlite3 *db, int64_t last);
/* After a failure: what could not be read is tried again. */
void st_rowinfos_retry(st_rowinfos *infos);
/* The row of that id.  False: there is none, or `error` tells why it could not be read. */
bool st_rowinfos_get(st_rowinfos *infos, int64_t id, st_rowinfo *row);
/* One thing alone; 0: there is no such row, or it has none, or `error`. */
st_kind st_rowinfos_kind(st_rowinfos *infos, int64_t id);
uint32_t st_rowinfos_session(st_rowinfos *infos, int64_t id);
uint32_t st_rowinfos_project(st_rowinfos *infos, int64_t id);
double st_rowinfos_time(st_rowinfos *infos, int64_t id);
/* Its length alone, in tokens; 0: there is none, or `error`. */
uint32_t st_rowinfos_find_length(st_rowinfos *infos, int64_t id);
#define ST_LENGTH_LONGER UINT16_MAX /* than can be said in the array of lengths */
static inline uint32_t st_rowinfos_length(st_rowinfos *infos, int64_t id) {
  const st_packed *p = &infos->lengths;
  bool near = id >= p->near_first && id < p->near_end;
  uint16_t length = near ? ((const uint16_t *)(const void *)p->near_items)[id - p->near_first] : ST_LENGTH_LONGER;
  return length < ST_LENGTH_LONGER ? length : st_rowinfos_find_length(infos, id);
}
/* The span of the ids from that number times ST_SPAN on; NULL: no row has one of them, or `error`. */
const st_span *st_rowinfos_span(st_rowinfos *infos, int64_t number);
/* False: out of memory, or `error`.  All zero: there is no such row any more. */
bool st_rowinfos_put(st_rowinfos *infos, int64_t id, const st_rowinfo *row);
/* No row has this id or a greater one. */
int64_t st_rowinfos_end(const st_rowinfos *infos);
/* Write what was changed.  A SQLite result code. */
int st_rowinfos_save(st_rowinfos *infos);
/* Forget all: it is read anew. */
void st_rowinfos_free(st_rowinfos *infos);

#endif
