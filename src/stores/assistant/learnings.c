/* learnings.c - corrections of behaviour: a rule that is said in the same words again is counted. */
#include "registry_ids.h"
#include "stores/assistant/assistant.h"

#define RULE_MAX 200 /* characters */

void st_assistant_save_agent_learning(st_call *call) {
  const st_value *id = &call->args[ST_P_ASSISTANT_SAVE_AGENT_LEARNING_ID];
  st_value args[ST_P_ASSISTANT_COUNT_AGENT_LEARNING_NOW + 1], rule = {0};
  args[ST_P_ASSISTANT_COUNT_AGENT_LEARNING_ID] = *id;
  args[ST_P_ASSISTANT_COUNT_AGENT_LEARNING_RULE] =
      st_assistant_plain(call, "rule", &call->args[ST_P_ASSISTANT_SAVE_AGENT_LEARNING_RULE], RULE_MAX);
  args[ST_P_ASSISTANT_COUNT_AGENT_LEARNING_CATEGORY] = call->args[ST_P_ASSISTANT_SAVE_AGENT_LEARNING_CATEGORY];
  args[ST_P_ASSISTANT_COUNT_AGENT_LEARNING_NOW] = call->args[ST_P_ASSISTANT_SAVE_AGENT_LEARNING_NOW];
  if (st_one(call, STELE_M_ASSISTANT_LOOK_AGENT_LEARNING, args, &rule))
    st_fail(call, STELE_INVALID, "id", "id %.100s exists already, for another rule", id->bytes);
  st_reply_one(call, STELE_M_ASSISTANT_COUNT_AGENT_LEARNING, args);
}
_Static_assert((int)ST_P_ASSISTANT_LOOK_AGENT_LEARNING_ID == (int)ST_P_ASSISTANT_COUNT_AGENT_LEARNING_ID &&
                   (int)ST_P_ASSISTANT_LOOK_AGENT_LEARNING_RULE == (int)ST_P_ASSISTANT_COUNT_AGENT_LEARNING_RULE,
               "look_agent_learning has the first fields of count_agent_learning");
