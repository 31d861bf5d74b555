/* checkpoints.c - checkpoints of graphs of agents: what belongs together is written by one call. */
#include <string.h>

#include "registry_ids.h"
#include "stores/conversation/conversation.h"

enum { RECORD_MAX = ST_P_CONVERSATION_PUT_CHECKPOINT_WRITE_VALUE + 1 };

/* Run a method once for each record of a list.  The first fields of each are the call's own arguments, which are its first
** as well. */
static void put_each(st_call *call, int method, int list_param, size_t own) {
  const st_value *list = &call->args[list_param];
  for (uint32_t i = 0; i < list->count && st_ok(call); i++) {
    const st_value *record = list->items + (size_t)i * list->width;
    st_value values[RECORD_MAX];
    memcpy(values, call->args, own * sizeof *values);
    memcpy(values + own, record + own, (list->width - own) * sizeof *values);
    st_run(call, method, values);
  }
}

void st_conversation_save_checkpoint(st_call *call) {
  st_run(call, STELE_M_CONVERSATION_PUT_CHECKPOINT, call->args); /* it has the same first parameters */
  put_each(call, STELE_M_CONVERSATION_PUT_CHECKPOINT_VALUE, ST_P_CONVERSATION_SAVE_CHECKPOINT_VALUES,
           ST_P_CONVERSATION_PUT_CHECKPOINT_VALUE_CHANNEL);
}

void st_conversation_save_checkpoint_writes(st_call *call) {
  put_each(call, STELE_M_CONVERSATION_PUT_CHECKPOINT_WRITE, ST_P_CONVERSATION_SAVE_CHECKPOINT_WRITES_WRITES,
           ST_P_CONVERSATION_PUT_CHECKPOINT_WRITE_POSITION);
}
