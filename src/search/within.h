/* within.h - is a row there, and within a filter?  Asked of the index where there is one, else of the row itself. */
#ifndef ST_WITHIN_H
#define ST_WITHIN_H

#include "search/allowed.h"
#include "search/documents.h"

typedef struct st_within {
  st_call *call;
  const st_document_filter *filter;
  st_index *index;    /* up to date; NULL: the store has none */
  st_allowed *allowed; /* the filter in its numbers */
  bool open;          /* everything that is there is allowed */
} st_within;

/* False: the call has failed, or nothing can be within the filter. */
bool st_within_begin(st_call *call, const st_document_filter *filter, st_within *out);

/* Has the index a document of this number, and is it within?  *known is false where the index cannot tell. */
bool st_within_number(st_within *within, int64_t doc, bool *known);

/* The row of a kind and key; *doc becomes its number in the index, if it has one there. */
bool st_within_row(st_within *within, const st_value *kind, const st_value *id, int64_t *doc);

/* The document's number; 0: it has none. */
int64_t st_within_document(st_within *within, const st_value *kind, const st_value *id);

#endif
