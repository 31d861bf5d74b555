/* handshake.c - see handshake.h. */
#include "stores/capture/handshake.h"

#include <string.h>

#include "engine/feature.h"
#include "engine/handle.h"
#include "engine/handshake.h"
#include "registry_ids.h"
#include "stores/capture/capture.h"

static void note(st_call *call, const st_value *worker, const st_value *expects, const st_value *now) {
  st_feature_need(call, ST_F_CAPTURE_WORKERS);
  st_run(call, STELE_M_CAPTURE_NOTE_WORKER, (st_value[]){*worker, *expects, *now});
}

/* Its methods are served, so the file is of the version that this program works with. */
static void look(st_call *call, const st_value *worker, const st_value *expects, st_handshake *found) {
  st_state state = {.name = "current", .status = STELE_OK};
  state.look.version = call->store->store->version;
  st_handshake_begin(call->store, &state, call->db->home, found);
  found->worker = (int)expects->integer;
  size_t length = worker->length < sizeof found->who ? worker->length : sizeof found->who - 1;
  memcpy(found->who, worker->bytes, length);
  st_handshake_judge(call->store, found);
}

void st_capture_expects(st_call *call, const st_value *worker, const st_value *expects, const st_value *now) {
  st_handshake found;
  if (!st_ok(call) || expects->type != ST_INT) return;
  look(call, worker, expects, &found);
  if (found.worker == found.file) {
    note(call, worker, expects, now);
    return;
  }
  st_fail(call, STELE_DENIED, "expects", "%s expects version %d, and the store is of version %d: %s", found.who, found.worker, found.file, found.cause);
  st_hint(call, "%s", found.fix);
}

void st_capture_handshake(st_call *call) {
  const st_value *args = call->args, *worker = &args[ST_P_CAPTURE_HANDSHAKE_WORKER], *expects = &args[ST_P_CAPTURE_HANDSHAKE_EXPECTS];
  st_handshake found;
  note(call, worker, expects, &args[ST_P_CAPTURE_HANDSHAKE_NOW]);
  look(call, worker, expects, &found);
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_CAPTURE_HANDSHAKE_FILE] = st_int(found.file);
  row[ST_R_CAPTURE_HANDSHAKE_LIBRARY] = st_int(found.library);
  if (found.server > 0) row[ST_R_CAPTURE_HANDSHAKE_SERVER] = st_int(found.server);
  row[ST_R_CAPTURE_HANDSHAKE_AGREE] = st_bool(found.discord == ST_AGREED);
  if (found.cause[0]) row[ST_R_CAPTURE_HANDSHAKE_CAUSE] = st_textz(st_call_copy(call, found.cause, strlen(found.cause)));
  if (found.fix[0]) row[ST_R_CAPTURE_HANDSHAKE_FIX] = st_textz(st_call_copy(call, found.fix, strlen(found.fix)));
}
