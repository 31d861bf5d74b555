/* beside.h - which words of a phrase have to be read, where the commonest are known by what they stand beside.
**
** Of "the index of messages" only index and messages are read: each place of index tells that the stands before it and of behind. */
#ifndef ST_SEARCH_BESIDE_H
#define ST_SEARCH_BESIDE_H

#include "search/occurrences.h"
#include "search/query.h"

/* The words of an index that have a code: the first has 1.  None: nothing is known of what stands beside a place. */
typedef struct st_common {
  const char *words[ST_COMMON_MAX];
  size_t count;
} st_common;

/* A word that is read. */
typedef struct st_beside {
  int token;               /* of the term */
  unsigned before, behind; /* codes of those beside it that are not read; 0: anything may stand there */
} st_beside;

/* Those of a phrase, in order; room for as many as it has tokens.  How many.  With one of them its places need not be read. */
size_t st_beside_plan(const st_common *common, const st_term *term, st_beside *out);

#endif
