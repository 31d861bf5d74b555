/* embedding.h - rows get their embeddings: those that have none, and those whose text has changed. */
#ifndef ST_RECALL_EMBEDDING_H
#define ST_RECALL_EMBEDDING_H

#include "embed/embedder.h"
#include "recall/asked.h"

/* How it is done, and how far it is, in all stores together. */
typedef struct st_embed_work {
  st_embedder *embedder;
  size_t dimension;
  double rate;       /* rows a second; 0: no limit */
  int64_t limit;     /* rows that may be embedded */
  bool dry;          /* they are only counted */
  int64_t done;      /* rows embedded */
  int64_t began_ms;
  int failures;      /* one after another: whoever never answers is not asked for every row */
  char stopped[400]; /* why nothing more is embedded; "": it goes on */
} st_embed_work;

typedef struct st_embed_counts {
  int64_t done, failed, empty, remaining;
  char problem[400]; /* of the first row that failed, with its key; "": none */
} st_embed_counts;

/* Go through a source of the part's store.  It can be called again at any time: what is embedded stays so. */
void st_embed_source(st_call *part, const st_findable *source, st_embed_work *work, st_embed_counts *counts);

/* The same for what the indexer has met since (search/due.h).  What is gone loses its embeddings, and of what was changed the copy is made
** anew.  Without an embedder nothing more is done: only rows that one has embedded before are left noted for it. */
void st_embed_due(st_call *part, st_embed_work *work, st_embed_counts *counts);

/* Copy vectors that the part's file keeps in the way of its own format into the store's collections, and forget copies of what it has no
** more (taken.c).  Not every store's format has such; nothing is done to a store that notes no changes.  How many were copied. */
int64_t st_embed_take(st_call *part);

/* Begin to work with the handle's embedder; false: there is none, or it does not answer, and *why tells it. */
bool st_embed_begin(st_call *call, st_embed_work *work, const char **why);

#endif
