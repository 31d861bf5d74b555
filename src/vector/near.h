/* near.h - the vectors that are nearest to another, out of a file of codes.
**
** All codes are compared with the query's; those that differ in few bits are estimated from its numbers; those that
** are estimated high, once more from their fine codes; and the best of these are compared exactly, from the vectors
** themselves, which the caller fetches.  How deep it goes at each step follows from the nearest found so far and from how far off an estimate may be (code.h):
** little where few vectors are near, more where all are about equally far. */
#ifndef ST_NEAR_H
#define ST_NEAR_H

#include "vector/codes.h"

#define ST_NEAR_FETCH 64 /* vectors fetched at a time, at most */

/* Fetch the vectors of count rows into out, one after another; there[i] stays false if one is gone, which is then
** passed over, and others are looked for.  false: fetching failed, which ends the search. */
typedef bool st_near_fetch(void *context, const st_code_row *const *rows, size_t count, float *out, bool *there);

/* May a row be among those found?  It is asked of rows that are near enough, and may be asked again. */
typedef bool st_near_allowed(void *context, const st_code_row *row);

typedef struct st_near {
  int64_t number, document;
  double similarity; /* the cosine, exact */
} st_near;

typedef struct st_near_search {
  st_codes *codes;
  const float *query;      /* with a direction (st_vector_directed) */
  size_t k;
  st_near_allowed *allowed; /* only these; NULL: all */
  st_near_fetch *fetch;
  void *context;            /* of both */
  const struct st_kernel *kernel; /* NULL: the best */
} st_near_search;

/* The nearest, at most k, into out, the nearest first; of equals, that with the smaller number.  As many as there
** are, if there are fewer than k.  *stopped: fetching failed. */
st_codes_result st_near_find(const st_near_search *search, st_near *out, size_t *count, bool *stopped);

#endif
