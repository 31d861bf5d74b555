/* due.h - what is to be embedded: documents that are new or changed, and those that are gone, whose embeddings go too.
**
** Whoever writes to a store knows nothing of models, and a search embeds nothing.  So the indexer notes what it meets, once
** the store has embeddings at all: on SQLite in the index, on PostgreSQL in the store.  A note has a number; a document that
** changes again meanwhile is noted anew, under another. */
#ifndef ST_DUE_H
#define ST_DUE_H

#include "search/index.h"

typedef struct st_due {
  int64_t number;
  const char *kind, *id;
} st_due;

/* While a parcel is written into the index: note what is in it.  A SQLite result code. */
int st_due_note_parcel(const st_call *call, st_index *index, const st_parcel *parcel);
/* The same on PostgreSQL, inside a write, of one document. */
void st_due_note(st_call *call, const char *kind, const char *id);

/* Notes after a number, the oldest first, in the call's memory; at most so many.  How many. */
int st_due_list(st_call *call, int64_t after, int most, st_due *out);
/* They have been seen to. */
void st_due_settle(st_call *call, const st_due *settled, int count);

#endif
