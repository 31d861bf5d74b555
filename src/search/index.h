/* index.h - the search index of a store, in a file of its own beside it.
**
** It is derived: it may be deleted at any time and is made anew.  Nothing here runs inside a write to
** the store.  The index remembers how far it goes (st_marks) and moves that in the transaction that
** writes it, so that an indexer that is killed, or a second one, does no harm.  What it is made from, its
** corpus tells (corpus.h). */
#ifndef ST_INDEX_H
#define ST_INDEX_H

#include <limits.h>
#include <sys/types.h>

#include "engine/call.h"
#include "search/frequency.h"
#include "search/inner.h"
#include "search/parcel.h"
#include "search/rowinfo.h"

typedef struct st_index {
  sqlite3 *db;
  char *path;
  const st_opened *store; /* whose it is; it waits for a lock as the store's own connection does */
  st_rowinfos rows;
  st_frequencies frequencies;
  st_marks marks; /* how far it goes */
  int64_t last;   /* the greatest number a document of it ever had */
  double total_rows, total_tokens;
  uint32_t counted; /* tokens of the row that is being written */
  st_inner inner;   /* the words of what is being written */
  int64_t data_version; /* as SQLite tells it: another process has written if it differs */
  ino_t log; /* which file its log is, as somebody may take it away; 0: it has none */
  bool damaged;
} st_index;

/* The index of the call's store, opened or made; NULL when the call has failed. */
st_index *st_index_of(st_call *call);

/* See what other processes have added. */
void st_index_refresh(st_call *call, st_index *index);

/* Tell whoever listens how far the store's index is; if they stop it, the call has failed. */
void st_index_tell(st_call *call, int64_t indexed);

/* Bring the index up to date, in parcels; *indexed counts documents.  Stops after `most` (0: all). */
void st_index_catch_up(st_call *call, st_index *index, int64_t most, int64_t *indexed);

/* Put its parts together, so that it is small and fast, in at most so many steps of a few milliseconds; does
** nothing where that is done. */
#define ST_MERGE_ALL INT_MAX
void st_index_merge(st_call *call, st_index *index, int steps);

/* Strike out the store's notes of changes that are in the index, in short transactions. */
void st_index_trim(st_call *call, const st_index *index);

/* Throw it away; the next use makes it anew. */
void st_index_drop(st_call *call);

/* Did the call fail because the index is damaged, or because another process has thrown it away meanwhile?  Then it is let
** go of, and the call has not failed: what was tried is to be tried once more. */
bool st_index_recover(st_call *call);

/* Bring it up to date and put its parts together; *indexed counts documents.  A damaged one is made anew. */
void st_index_complete(st_call *call, int64_t *indexed);

#endif
