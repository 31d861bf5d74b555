/* tokens.h - the tokens of a document as PostgreSQL keeps them: of any kind but messages (tsvector.h). */
#ifndef ST_TOKENS_H
#define ST_TOKENS_H

#include "search/columns.h"
#include "search/tsvector.h"

typedef struct st_tokens {
  const char *text; /* a tsvector, in the call's memory */
  bool lost, cut;   /* st_tsvector.phrases_lost, words_lost */
} st_tokens;

/* Text, title and extra have the weights A, B and C.  The vector is for use in between. */
st_tokens st_tokens_write(st_call *call, st_tsvector *vector, const st_value *text, const st_value *title, const st_value *extra);

#endif
