/* rows.c - single rows, read and written by other methods' statements. */
#include "stores/planner/planner.h"

void st_planner_get(st_call *call, int method, const char *field, int64_t id, st_value *out) {
  st_value arg = st_int(id);
  if (!st_one(call, method, &arg, out))
    st_fail(call, STELE_NOTFOUND, field, "%s %lld does not exist", field, (long long)id);
}

int64_t st_planner_insert(st_call *call, int method, const st_value *args) {
  st_value id = st_int(0);
  st_one(call, method, args, &id);
  return id.integer;
}
