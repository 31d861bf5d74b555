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

/* How an embedding came to be kept.  What was brought by a caller or is in the file counts only while its row has the text that
** it had then; what the embedder made is made anew by whoever sees that the text has changed. */
typedef enum st_origin { ST_ORIGIN_ANY, ST_ORIGIN_MODEL, ST_ORIGIN_CALLER, ST_ORIGIN_FILE } st_origin;

typedef struct st_embedding {
  const char *kind, *id; /* of which row */
  const char *model;     /* what made it; "": that is not known, which only ST_ORIGIN_MODEL must tell */
  const float *vector;   /* kept to the bit, if a caller brought it */
  size_t dimension;
  uint64_t text_hash; /* of the text that was embedded */
  st_origin origin;
} st_embedding;

/* Find up to k rows within the filter whose embeddings are nearest to the query, the nearest first; out has room for them,
** and what it tells lives as long as the call.  As many are found as there are, up to k.  The query's dimension says in which
** collection is looked; none of that dimension: nothing is found. */
void st_meaning_find(st_call *call, const float *query, size_t dimension, const st_document_filter *filter, int k, st_meant *out,
                     int *count);

/* Inside a write: keep the embedding of a row; one that it had in this collection goes, and one that was brought gives way to
** another.  INVALID: the vector has no direction, or the collection is of another model. */
void st_meaning_keep(st_call *call, const st_embedding *embedding);
/* Inside a write: forget the embeddings of a row that came so.  How many. */
int64_t st_meaning_forget(st_call *call, const char *kind, const char *id, st_origin origin);
/* Inside a write: forget what an embedder made of a collection, so that another model can make it anew.  How many it had. */
int64_t st_meaning_clear(st_call *call, size_t dimension);

/* What is known of the embeddings of some rows: of which text each is, and how it came; ST_ORIGIN_ANY: there is none. */
typedef struct st_meaning_known {
  uint64_t text_hash;
  st_origin origin;
} st_meaning_known;
void st_meaning_look(st_call *call, const char *kind, const st_value *ids, size_t count, size_t dimension, st_meaning_known *out);

/* Which of some rows the embedder embedded. */
void st_meaning_made(st_call *call, const char *kind, const st_value *ids, size_t count, bool *out);

/* How many rows of a kind have an embedding. */
int64_t st_meaning_count(st_call *call, const char *kind);

/* What made the embeddings of a dimension; "": that is not known; NULL: there are none. */
const char *st_meaning_model(st_call *call, size_t dimension);

/* The numbers of a vector as it is kept; false: it is of another dimension, or has no direction. */
bool st_meaning_numbers(const st_value *vector, size_t dimension, float *out);

/* What stands for a text that callers embed, in the parts that the store's method embedded_text tells. */
uint64_t st_meaning_hash(const st_value *parts, size_t count);
/* The same of a row as it is now; false: there is none, or the store has no such method. */
bool st_meaning_hash_of(st_call *call, const char *kind, const char *id, uint64_t *out);

/* A private method that some stores have, by its name within the store; NULL: this one has not. */
const st_method *st_meaning_own(const st_call *call, const char *name);

/* Bring the codes of all collections up to date; *coded counts embeddings.  For idle time, and outside a transaction. */
void st_meaning_index(st_call *call, int64_t *coded);

#endif
