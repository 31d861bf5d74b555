/* replica.c - see replica.h. */
#include "engine/replica.h"

#include <string.h>

#include "base/alloc.h"
#include "base/time.h"

#define AWAY_MS 2000 /* so long one that failed is not asked again */

st_opened *st_replica_new(st_opened *primary) {
  st_opened *replica = st_alloc(sizeof *replica);
  if (!replica) return NULL;
  primary->target.has_replicas = true;
  *replica = st_opened_apart(primary, true);
  replica->target.standby = true;
  return replica;
}

void st_replica_free(st_opened *replica) {
  if (replica) st_opened_close(replica);
  st_free(replica);
}

/* Only reads, and in no transaction that may have written. */
static bool may_use(const st_call *call, const st_opened *primary) {
  return primary->replica && call->method->access == ST_ACCESS_READ && !call->method->outside && call->db->tx != primary;
}

static bool leave_alone(st_opened *replica) {
  replica->away_ms = st_monotonic_ms() + AWAY_MS;
  return false;
}

static bool is_connected(st_opened *replica) {
  st_error error = {.status = STELE_OK};
  st_opening opening = {.error = &error};
  if (replica->settled) return true;
  if (st_monotonic_ms() < replica->away_ms) return false;
  return st_opened_connect(replica, &opening) || leave_alone(replica);
}

st_opened *st_replica_for(const st_call *call) {
  st_opened *primary = call->method->store >= 0 ? &call->db->stores[call->method->store] : NULL;
  if (!primary || !may_use(call, primary)) return NULL;
  st_opened *replica = primary->replica;
  if (!is_connected(replica) || st_monotonic_ms() < replica->away_ms) return NULL;
  if ((replica->features & call->method->features) != call->method->features) return NULL; /* the primary makes them */
  replica->conn->status = STELE_OK;
  if (replica->driver->is_current(replica->conn)) return replica;
  if (replica->conn->status != STELE_OK) leave_alone(replica); /* it is not behind, but gone: connecting may take seconds */
  return NULL;
}

bool st_replica_refused(st_call *call) {
  switch (call->error->status) {
    case STELE_UNAVAILABLE:
    case STELE_CONFLICT: /* what it reads is being replayed away */
    case STELE_BUSY:
    case STELE_READONLY:
    case STELE_UNSUPPORTED:
    case STELE_FORMAT:
    case STELE_IO: break;
    default: return false;
  }
  leave_alone(call->store);
  memset(call->error, 0, sizeof *call->error);
  call->again = false;
  call->store = NULL;
  return true;
}
