/* retry.c - see retry.h. */
#include "engine/retry.h"

#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "engine/handle.h"

#define FIRST_US 500u /* the longest first pause; each may be twice as long as the one before */
#define CONFLICTS 7   /* so often, after conflicts: others need a moment only */
#define LOSSES 10     /* and after a loss: until a server is started, or another promoted */

st_retry st_retry_begin(stele_db *db) {
  return (st_retry){.db = db, .deadline_ms = st_monotonic_ms() + db->wait_ms};
}

bool st_retry_fits(stele_status status) { return status == STELE_CONFLICT || status == STELE_UNAVAILABLE; }

/* Never the same for two that collided, nor for all that lost one server. */
static void pause_a_little(unsigned doublings) {
  unsigned most = FIRST_US << doublings;
  usleep(most / 2 + (unsigned)(st_time_now() ^ getpid()) % most);
}

bool st_retry_after(st_retry *retry, st_conn *conn) {
  unsigned most = conn->status == STELE_UNAVAILABLE ? LOSSES : CONFLICTS;
  if (st_monotonic_ms() >= retry->deadline_ms || atomic_load_explicit(&retry->db->interrupted, memory_order_relaxed)) return false;
  pause_a_little(retry->tries < most ? retry->tries : most);
  retry->tries++;
  conn->counts.retries++;
  return true;
}

bool st_retry_call(st_retry *retry, st_call *call) {
  if (st_ok(call) || !call->again || !st_retry_after(retry, call->store->conn)) return false;
  memset(call->error, 0, sizeof *call->error);
  call->again = false;
  return true;
}
