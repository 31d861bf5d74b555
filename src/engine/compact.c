/* compact.c - see compact.h. */
#include "engine/compact.h"

static void empty_log(st_call *call, bool *busy) {
  int64_t log, done;
  if (!st_ok(call) || call->store->driver->engine != ST_SQLITE) return;
  stele_status status = call->store->driver->checkpoint(call->store->conn, "truncate", busy, &log, &done);
  if (status != STELE_OK) st_fail_conn(call, status);
}

void st_compact(st_call *call, const char *postgres, bool *busy) {
  *busy = false;
  empty_log(call, busy);
  if (!st_ok(call)) return;
  stele_status status = call->store->driver->script(call->store->conn, call->store->driver->engine == ST_SQLITE ? "VACUUM" : postgres);
  if (status != STELE_OK) st_fail_conn(call, status);
  empty_log(call, busy);
}
