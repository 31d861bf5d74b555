/* embedding_page.h - rows that are embedded together: which of them need it, and how they get it. */
#ifndef ST_RECALL_EMBEDDING_PAGE_H
#define ST_RECALL_EMBEDDING_PAGE_H

#include "recall/embedding.h"
#include "recall/passage.h"

#define ST_PAGE_ROWS 64
#define ST_PAGE_MEMORY ((size_t)256 << 20)

typedef struct st_embed_page {
  st_document documents[ST_PAGE_ROWS];
  st_value ids[ST_PAGE_ROWS];
  int count;
  bool settled[ST_PAGE_ROWS]; /* by row: there is nothing left to do for it */
  bool emptied[ST_PAGE_ROWS]; /* it says nothing any more, but has an embedding of what it said */
  /* Of these, what is to be embedded: */
  int rows[ST_PAGE_ROWS];
  st_passage passages[ST_PAGE_ROWS];
  float *vectors;
  bool embedded[ST_PAGE_ROWS];
  int wanted;
} st_embed_page;

/* Embed the rows of a page that have no embedding of the text that they have now.  What is left when this ends is not
** settled: it failed, or enough was done. */
void st_embed_page_work(st_call *part, const st_findable *source, st_embed_work *work, st_embed_page *p, st_embed_counts *counts);

/* Tell how far it is, of a kind; whoever listens may stop it. */
void st_embed_tell(st_call *part, const char *kind, const st_embed_work *work);

#endif
