/* trim.c - noted changes that the index has are struck out of the store.
**
** Where nobody did, everything that was ever changed would be noted for ever.  The last ones are kept: a
** process that read the marks of the index a moment ago must still find what comes after them.  An index
** that misses some in spite of that, because it is another copy, is made anew (index.c). */
#include "search/corpus.h"

#define KEPT 1000
#define STEP 2000 /* in one transaction */

static int64_t oldest_change(st_call *call, int method) {
  st_value oldest = {.type = ST_NULL};
  st_one(call, method, NULL, &oldest);
  return oldest.type == ST_INT ? oldest.integer : INT64_MAX - STEP;
}

void st_index_trim(st_call *call, const st_index *index) {
  st_corpus corpus = st_corpus_of(call);
  int64_t upto;
  if (call->store->target.readonly) return;
  while (st_ok(call) && (upto = oldest_change(call, corpus.oldest_change) + STEP - 1) <= index->marks.change_upto - KEPT) {
    st_value last = st_int(upto);
    st_call_begin(call, true);
    if (!st_ok(call)) return;
    st_run(call, corpus.trim, &last);
    st_call_end(call);
  }
}
