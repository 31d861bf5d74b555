/* health.c - samples of wearables come in batches, and may come again. */
#include "registry_ids.h"
#include "stores/assistant/assistant.h"

void st_assistant_save_health_samples(st_call *call) {
  const st_value *samples = &call->args[ST_P_ASSISTANT_SAVE_HEALTH_SAMPLES_SAMPLES];
  for (uint32_t i = 0; i < samples->count && st_ok(call); i++)
    st_post(call, STELE_M_ASSISTANT_INSERT_HEALTH_SAMPLE, samples->items + (size_t)i * samples->width);
  int64_t accepted = st_posted(call);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_ASSISTANT_SAVE_HEALTH_SAMPLES_ACCEPTED] = st_int(accepted);
  reply[ST_R_ASSISTANT_SAVE_HEALTH_SAMPLES_DUPLICATES] = st_int(samples->count - accepted);
}
