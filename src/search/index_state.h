/* index_state.h - how far the search index is, found out without touching it. */
#ifndef ST_INDEX_STATE_H
#define ST_INDEX_STATE_H

#include "engine/call.h"

typedef struct st_index_state {
  const char *form;    /* stele, compatible or postgres */
  bool made;           /* there is one */
  int64_t bytes;       /* of its file, log included; -1: it has none */
  int64_t missing;     /* documents and changes that are not in it; counting stops at a thousand of each */
  bool outdated;       /* it was made by other rules: the next use makes it anew */
  const char *problem; /* why it cannot be read, or NULL; then everything is missing */
} st_index_state;

void st_index_look(st_call *call, st_index_state *out);

#endif
