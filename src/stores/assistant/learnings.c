/* learnings.c - corrections of behaviour: a rule that is said in the same words again is counted. */
#include "engine/chore.h"
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

/* A chore: what recurred by now, and is a candidate still. */
void st_assistant_upkeep_promote(st_call *call) {
  st_value row[ST_R_ASSISTANT_FIND_RECURRING_CANDIDATES_RECURRENCE_COUNT + 1];
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_ASSISTANT_FIND_RECURRING_CANDIDATES, NULL);
  while (st_rows_next(call, &rows)) {
    st_rows_keep(call, &rows, row);
    if (!st_ok(call)) break;
    st_chore_tell(call, st_chore_what(call, "rule %s", row[ST_R_ASSISTANT_FIND_RECURRING_CANDIDATES_ID].bytes), "promoted", "seen %lld times",
                  (long long)row[ST_R_ASSISTANT_FIND_RECURRING_CANDIDATES_RECURRENCE_COUNT].integer);
  }
  st_rows_end(call, &rows);
  if (st_chore_in_earnest(call, ST_P_ASSISTANT_UPKEEP_PROMOTE_DRY_RUN)) st_run(call, STELE_M_ASSISTANT_ACTIVATE_AGENT_LEARNINGS, NULL);
}
