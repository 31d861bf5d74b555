/* skills.c - drafts of skills: of those that are not rejected, no two have one name. */
#include <string.h>

#include "registry_ids.h"
#include "stores/assistant/assistant.h"

static void check_name(st_call *call, const st_value *name, const st_value *id, const st_value *status) {
  st_value args[2], other[2];
  if (!st_ok(call) || strcmp(status->bytes, "rejected") == 0) return;
  args[ST_P_ASSISTANT_LOOK_SKILL_NAME_NAME] = *name;
  args[ST_P_ASSISTANT_LOOK_SKILL_NAME_ID] = *id;
  if (st_one(call, STELE_M_ASSISTANT_LOOK_SKILL_NAME, args, other))
    st_fail(call, STELE_INVALID, "name", "name: %.100s is the name of skill %.100s, which is %s", name->bytes,
            other[ST_R_ASSISTANT_LOOK_SKILL_NAME_ID].bytes,
            strcmp(other[ST_R_ASSISTANT_LOOK_SKILL_NAME_STATUS].bytes, "draft") == 0 ? "a draft" : "activated");
}

void st_assistant_save_proposed_skill(st_call *call) {
  const st_value *id = &call->args[ST_P_ASSISTANT_SAVE_PROPOSED_SKILL_ID];
  st_value written;
  check_name(call, &call->args[ST_P_ASSISTANT_SAVE_PROPOSED_SKILL_NAME], id,
             &call->args[ST_P_ASSISTANT_SAVE_PROPOSED_SKILL_STATUS]);
  /* the same fields in the same order */
  if (!st_one(call, STELE_M_ASSISTANT_INSERT_PROPOSED_SKILL, call->args, &written))
    st_fail(call, STELE_INVALID, "id", "id %.100s exists already", id->bytes);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_ASSISTANT_SAVE_PROPOSED_SKILL_ID] = written;
}
_Static_assert((int)ST_P_ASSISTANT_SAVE_PROPOSED_SKILL_ACTIVATED_AT ==
                       (int)ST_P_ASSISTANT_INSERT_PROPOSED_SKILL_ACTIVATED_AT &&
                   (int)ST_P_ASSISTANT_SAVE_PROPOSED_SKILL_STATUS == (int)ST_P_ASSISTANT_INSERT_PROPOSED_SKILL_STATUS,
               "save_proposed_skill and insert_proposed_skill have the same fields");

void st_assistant_update_proposed_skill(st_call *call) {
  const st_value *given = call->args, *id = &given[ST_P_ASSISTANT_UPDATE_PROPOSED_SKILL_ID];
  const st_value *name = &given[ST_P_ASSISTANT_UPDATE_PROPOSED_SKILL_NAME];
  const st_value *status = &given[ST_P_ASSISTANT_UPDATE_PROPOSED_SKILL_STATUS];
  st_value skill[ST_R_ASSISTANT_GET_PROPOSED_SKILL_ACTIVATED_AT + 1];
  bool there = st_one(call, STELE_M_ASSISTANT_GET_PROPOSED_SKILL, id, skill);
  if (there && (name->type == ST_TEXT || status->type == ST_TEXT))
    check_name(call, name->type == ST_TEXT ? name : &skill[ST_R_ASSISTANT_GET_PROPOSED_SKILL_NAME], id,
               status->type == ST_TEXT ? status : &skill[ST_R_ASSISTANT_GET_PROPOSED_SKILL_STATUS]);
  int64_t updated = st_run(call, STELE_M_ASSISTANT_WRITE_PROPOSED_SKILL, given); /* the same fields in the same order */
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_ASSISTANT_UPDATE_PROPOSED_SKILL_UPDATED] = st_int(updated);
}
_Static_assert((int)ST_P_ASSISTANT_UPDATE_PROPOSED_SKILL_ACTIVATED_AT ==
                       (int)ST_P_ASSISTANT_WRITE_PROPOSED_SKILL_ACTIVATED_AT &&
                   (int)ST_P_ASSISTANT_UPDATE_PROPOSED_SKILL_STATUS == (int)ST_P_ASSISTANT_WRITE_PROPOSED_SKILL_STATUS,
               "update_proposed_skill and write_proposed_skill have the same fields");
