/* rows.c - single rows, read and written by other methods' statements. */
#include "stores/planner/planner.h"

bool st_planner_one(st_call *call, int method, const st_value *args, st_value *out) {
  st_rows rows;
  st_rows_start(call, &rows, method, args);
  bool there = st_rows_next(call, &rows);
  for (size_t i = 0; there && i < rows.method->public.nresults; i++) {
    st_rows_value(call, &rows, i, &out[i]);
    if (out[i].type == ST_TEXT) out[i].bytes = st_call_copy(call, out[i].bytes, out[i].length);
  }
  st_rows_end(call, &rows);
  return there && st_ok(call);
}

void st_planner_get(st_call *call, int method, const char *field, int64_t id, st_value *out) {
  st_value arg = st_int(id);
  if (!st_planner_one(call, method, &arg, out))
    st_fail(call, STELE_NOTFOUND, field, "%s %lld does not exist", field, (long long)id);
}

int64_t st_planner_insert(st_call *call, int method, const st_value *args) {
  st_value id = st_int(0);
  st_planner_one(call, method, args, &id);
  return id.integer;
}
