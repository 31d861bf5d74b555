/* meaning.h - rows of a store by what they mean: embeddings are kept in the store, and those nearest to another found.
**
** Embeddings of one dimension are a collection, and all of one model.  On SQLite codes of them lie in files beside the store
** (vector/codes.h), one for each dimension: derived, deletable, brought up to date by a search when many are missing.
** PostgreSQL is asked itself.  The store that is asked is the call's. */
#ifndef ST_MEANING_H
#define ST_MEANING_H

#include "search/documents.h"

typedef struct st_meant {
  int64_t doc; /* as st_document_hit has it */
  const char *kind, *id;
  double similarity; /* the cosine: from -1 to 1 */
} st_meant;

/* Find up to k rows within the filter whose embeddings are nearest to the query, the nearest first; out has room for them,
** and what it tells lives as long as the call.  As many are found as there are, up to k.  The query's dimension says in which
** collection is looked; none of that dimension: nothing is found. */
void st_meaning_find(st_call *call, const float *query, size_t dimension, const st_document_filter *filter, int k, st_meant *out,
                     int *count);

/* Inside a write: keep the embedding of a row; one that it had in this collection goes.  INVALID: the vector has no
** direction, or the collection is of another model.  text_hash is of the text that was embedded. */
void st_meaning_keep(st_call *call, const char *kind, const char *id, const char *model, const float *vector, size_t dimension,
                     uint64_t text_hash);
/* Inside a write: forget the embeddings of a row. */
void st_meaning_forget(st_call *call, const char *kind, const char *id);
/* Inside a write: forget a collection, so that another model can make it anew.  How many embeddings it had. */
int64_t st_meaning_clear(st_call *call, size_t dimension);

/* Of what text the embeddings of some rows are: text_hash of each into hashes, where known is then true. */
void st_meaning_known(st_call *call, const char *kind, const st_value *ids, size_t count, size_t dimension, uint64_t *hashes, bool *known);

/* Bring the codes of all collections up to date; *coded counts embeddings.  For idle time, and outside a transaction. */
void st_meaning_index(st_call *call, int64_t *coded);

#endif
