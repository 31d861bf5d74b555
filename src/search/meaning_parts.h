/* meaning_parts.h - what the files of meaning.h share. */
#ifndef ST_MEANING_PARTS_H
#define ST_MEANING_PARTS_H

#include "search/meaning.h"
#include "search/within.h"
#include "vector/near.h"

/* A search, and the nearest so far. */
typedef struct st_meaning {
  st_call *call;
  const float *query;
  size_t dimension, k;
  st_within within;
  st_near *best; /* the nearest first; room for k */
  size_t count;
  float *numbers; /* room for one vector */
} st_meaning;

bool st_meaning_is_there(st_call *call);

/* ---- keeping (meaning_keep.c) ---- */

/* A vector as pgvector reads it; is there an index of pgvector's? */
st_value st_meaning_text(st_call *call, const float *vector, size_t dimension);
bool st_meaning_has_halfvecs(const st_call *call);
st_origin st_origin_of(const st_value *text);

/* ---- what counts (meaning_current.c) ---- */

/* Has the row of an embedding the text that it is of?  What an embedder made always counts. */
bool st_meaning_is_current(st_call *call, const char *kind, const char *id, const st_meaning_known *known);

/* ---- finding ---- */

/* A row of embedding_page, embedding_rows or embedding_scan; its texts live until the next. */
typedef struct st_embedded {
  int64_t number;
  st_value kind, id, vector;
} st_embedded;
void st_embedded_get(st_call *call, st_rows *rows, st_embedded *out);
/* Would one that is so near be among the nearest? */
bool st_meaning_wants(const st_meaning *meaning, double similarity);
void st_meaning_offer(st_meaning *meaning, st_near near);

/* On SQLite: all that is coded, then all that is not yet. */
void st_meaning_search_codes(st_meaning *meaning, const char *model);

/* What belongs to a collection's codes: where they lie, and whose they are. */
struct st_codes *st_meaning_codes(st_call *call, const st_within *within, size_t dimension, const char *model);
/* Code what is not coded yet; *coded counts. */
void st_meaning_catch_up(st_call *call, st_within *within, struct st_codes *codes, int64_t *coded);

#endif
