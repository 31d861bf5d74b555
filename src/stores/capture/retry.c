/* retry.c - what was given up waits again. */
#include <string.h>

#include "engine/feature.h"
#include "registry_ids.h"
#include "stores/capture/capture.h"

static const struct {
  const char *queue;
  int method;
} QUEUES[] = {
    {"agentic", STELE_M_CAPTURE_RETRY_AGENTIC},
    {"browser", STELE_M_CAPTURE_RETRY_BROWSER},
    {"shell", STELE_M_CAPTURE_RETRY_SHELL},
    {"workflow", STELE_M_CAPTURE_RETRY_WORKFLOW},
};

/* What was asked of a model about them before does not count any more. */
static int64_t retry(st_call *call, size_t place, const st_value *id, const st_value *now) {
  if (st_feature_has(call, ST_F_CAPTURE_MODEL_USE))
    st_run(call, STELE_M_CAPTURE_FORGET_FAILED_CALLS, (st_value[]){st_textz(QUEUES[place].queue), *id});
  return st_run(call, QUEUES[place].method, (st_value[]){*id, *now});
}

void st_capture_retry_failed(st_call *call) {
  const char *queue = st_arg_text(call, ST_P_CAPTURE_RETRY_FAILED_QUEUE);
  const st_value *id = &call->args[ST_P_CAPTURE_RETRY_FAILED_ID];
  int64_t requeued = 0;
  if (!queue && id->type == ST_INT) st_fail(call, STELE_INVALID, "queue", "queue: of which queue is ticket %lld?", (long long)id->integer);
  if (!queue || strcmp(queue, "agentic") == 0) st_run(call, STELE_M_CAPTURE_REOPEN_SEGMENTS, id);
  for (size_t i = 0; i < sizeof QUEUES / sizeof *QUEUES; i++)
    if (!queue || strcmp(queue, QUEUES[i].queue) == 0)
      requeued += retry(call, i, id, &call->args[ST_P_CAPTURE_RETRY_FAILED_NOW]);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_CAPTURE_RETRY_FAILED_REQUEUED] = st_int(requeued);
}
