/* index.h - the search index of the messages, in a file of its own beside the store.
**
** It is derived: it may be deleted at any time and is made anew.  Nothing here runs inside a write to
** the store.  The index remembers up to which message it goes (ids only grow) and up to which noted
** change; both move in the transaction that writes the index, so that an indexer that is killed, or
** a second one, does no harm.  A search reads what is not indexed yet by itself (find.h). */
#ifndef ST_INDEX_H
#define ST_INDEX_H

#include <limits.h>
#include <sys/types.h>

#include "engine/call.h"
#include "search/frequency.h"
#include "search/rowinfo.h"

typedef struct st_index {
  sqlite3 *db;
  char *path;
  st_rowinfos rows;
  st_frequencies frequencies;
  int64_t upto;        /* the last message that is in it */
  int64_t change_upto; /* the last noted change that is in it */
  double total_rows, total_tokens;
  uint32_t counted; /* tokens of the row that is being written */
  int64_t data_version; /* as SQLite tells it: another process has written if it differs */
  dev_t device;         /* which file it is: another process may have made the index anew */
  ino_t number;
  bool damaged;
} st_index;

/* The index of the call's store, opened or made; NULL when the call has failed. */
st_index *st_index_of(st_call *call);

/* See what other processes have added. */
void st_index_refresh(st_call *call, st_index *index);

/* Bring the index up to date, in batches; *indexed counts messages.  Stops after `most` (0: all). */
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

/* Bring it up to date and put its parts together; *indexed counts messages.  A damaged one is made anew. */
void st_index_complete(st_call *call, int64_t *indexed);

/* The number of a session or role in the row infos; 0: none of its messages is indexed.  With add, while
** indexing, it gets one.  *code is a SQLite result code. */
uint32_t st_index_number(st_index *index, const char *table, const char *name, size_t length, bool add, int *code);

#endif
