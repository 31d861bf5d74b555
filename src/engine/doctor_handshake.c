/* doctor_handshake.c - the line of the checkup about the versions that must agree. */
#include <stdio.h>

#include "base/time.h"
#include "engine/doctor.h"
#include "engine/handle.h"
#include "engine/handshake.h"

/* "file 18, this program 18, no server, worker brain 17" */
static void name_numbers(const st_handshake *found, char out[300]) {
  char file[40] = "no file yet", server[60] = "no server", worker[160] = "no worker";
  if (found->file > 0) snprintf(file, sizeof file, "file %d", found->file);
  if (found->server > 0) snprintf(server, sizeof server, "server %d", found->server);
  else if (found->server < 0) snprintf(server, sizeof server, "a server of another version");
  if (found->worker) snprintf(worker, sizeof worker, "worker %s %d", found->who, found->worker);
  snprintf(out, 300, "%s, this program %d, %s, %s", file, found->library, server, worker);
}

void st_doctor_handshake(st_call *call, const st_state *state) {
  st_handshake found;
  char numbers[300];
  st_handshake_begin(call->store, state, call->db->home, &found);
  if (found.file < 0) return; /* that it cannot be used is told already */
  if (st_doctor_ended(call, st_handshake_workers(call->store, st_time_now() / 1000, &found))) return;
  st_handshake_judge(call->store, &found);
  name_numbers(&found, numbers);
  bool well = found.discord == ST_AGREED || found.discord == ST_FILE_FRESH;
  st_doctor_line(call, well ? ST_HEALTH_OK : found.discord == ST_FILE_OLDER ? ST_HEALTH_WARN : ST_HEALTH_FAIL, "handshake", "%s", numbers);
  if (well) return;
  st_doctor_cause(call, "%s", found.cause);
  st_doctor_fix(call, "%s", found.fix);
}
