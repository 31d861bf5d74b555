/* trim.c - noted changes that the index has are struck out of the store.
**
** Where nobody did, every message that was ever deleted would be noted for ever.  The last ones are kept: a
** process that read the marks of the index a moment ago must still find what comes after them.  An index
** that misses some in spite of that, because it is another copy, is made anew (index.c). */
#include "registry_ids.h"
#include "search/index.h"

#define KEPT 1000
#define STEP 2000 /* in one transaction */

static int64_t oldest_change(st_call *call) {
  st_value oldest = {.type = ST_NULL};
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_INDEX_OLDEST_CHANGE, NULL);
  if (st_rows_next(call, &rows)) st_rows_value(call, &rows, ST_R_CONVERSATION_INDEX_OLDEST_CHANGE_OLDEST, &oldest);
  st_rows_end(call, &rows);
  return oldest.type == ST_INT ? oldest.integer : INT64_MAX - STEP;
}

void st_index_trim(st_call *call, const st_index *index) {
  int64_t upto;
  if (call->store->target.readonly) return;
  while (st_ok(call) && (upto = oldest_change(call) + STEP - 1) <= index->change_upto - KEPT) {
    st_value last = st_int(upto);
    st_call_begin(call, true);
    if (!st_ok(call)) return;
    st_run(call, STELE_M_CONVERSATION_INDEX_TRIM, &last);
    st_call_end(call);
  }
}
