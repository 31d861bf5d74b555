/* passage.h - something as it is embedded: its title and its text, as far as a model takes it. */
#ifndef ST_PASSAGE_H
#define ST_PASSAGE_H

#include "search/documents.h"

#define ST_PASSAGE_MAX 8000 /* bytes; what follows says little more of what it is about */

typedef struct st_passage {
  const char *text; /* in the call's memory */
  size_t length;    /* 0: there is nothing to embed */
  uint64_t hash;
} st_passage;

st_passage st_passage_of(st_call *call, const st_document *document);

#endif
