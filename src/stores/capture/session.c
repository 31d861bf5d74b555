/* session.c - see session.h. */
#include "stores/capture/session.h"

#include "registry_ids.h"
#include "stores/capture/capture.h"

st_value st_capture_session(st_call *call, const st_value *args) {
  st_value id = st_textz(NULL);
  st_run(call, STELE_M_CAPTURE_OPEN_SESSION, args);
  st_one(call, STELE_M_CAPTURE_FIND_SESSION, &args[ST_P_CAPTURE_OPEN_SESSION_TERMINAL], &id);
  return id;
}

void st_capture_start_session(st_call *call) {
  st_value id = st_capture_session(call, call->args); /* the parameters are the same */
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_CAPTURE_START_SESSION_ID] = id;
}
