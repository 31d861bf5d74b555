/* corpus.h - what the index of a store is made from, and how it is kept in step with it.
**
** The messages of the conversation store have numbers that only grow: new ones are found by these, and
** only what was changed or deleted is noted (corpus_messages.c).  Of other stores, whose documents the index numbers,
** everything is noted (corpus_documents.c). */
#ifndef ST_CORPUS_H
#define ST_CORPUS_H

#include "search/parcel.h"
#include "search/index.h"

typedef struct st_corpus {
  /* Read what the index lacks next.  Nothing, and the marks as they were: it lacks nothing. */
  void (*read)(st_call *call, st_index *index, st_parcel *parcel);
  /* How many documents an index lacks that goes up to there, and how many noted changes; counting stops at a
  ** thousand of each. */
  int64_t (*backlog)(st_call *call, const st_marks *from, int64_t *changes);
  /* Was the index made from another store, or from a copy of it that has gone another way since? */
  bool (*is_foreign)(st_call *call, st_index *index);
  /* An index can be kept: what is changed later will be known.  If not, it serves one search. */
  bool lasts;
  /* Documents that are not indexed yet need not be: a search reads them by itself, if they are few. */
  bool reads_tail;
  /* Methods: the oldest change that is still noted; strike out all up to one. */
  int oldest_change, trim;
} st_corpus;

/* Of the call's store. */
st_corpus st_corpus_of(const st_call *call);

/* What it is made of. */
st_corpus st_corpus_messages(void);
st_corpus st_corpus_documents(const st_call *call);

#endif
