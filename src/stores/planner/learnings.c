/* learnings.c - what was learned becomes a fact or a question, together with the note that it did. */
#include <string.h>

#include "registry_ids.h"
#include "stores/planner/planner.h"

enum { COLUMNS = ST_R_PLANNER_LOOK_LEARNING_STATUS + 1 };

/* Take a learning that nobody has judged; it counts as promoted. */
static bool take(st_call *call, int64_t id, st_value learning[COLUMNS]) {
  st_planner_get(call, STELE_M_PLANNER_LOOK_LEARNING, "id", id, learning);
  if (!st_ok(call)) return false;
  const char *status = learning[ST_R_PLANNER_LOOK_LEARNING_STATUS].bytes;
  if (strcmp(status, "pending") != 0)
    st_fail(call, STELE_INVALID, "id", "id: learning %lld is %s already, and only a pending one can be judged",
            (long long)id, status);
  st_run(call, STELE_M_PLANNER_UPDATE_LEARNING, (const st_value[]){st_int(id), st_textz("promoted")});
  return st_ok(call);
}

void st_planner_promote_learning(st_call *call) {
  const st_value *given = call->args, *category = &given[ST_P_PLANNER_PROMOTE_LEARNING_CATEGORY];
  st_value learning[COLUMNS], fact[ST_P_PLANNER_SAVE_FACT_NOW + 1] = {{0}};
  bool existing, reworded = st_has(call, ST_P_PLANNER_PROMOTE_LEARNING_CONTENT);
  if (!take(call, st_arg_int(call, ST_P_PLANNER_PROMOTE_LEARNING_ID), learning)) return;
  fact[ST_P_PLANNER_SAVE_FACT_CONTENT] =
      reworded ? given[ST_P_PLANNER_PROMOTE_LEARNING_CONTENT] : learning[ST_R_PLANNER_LOOK_LEARNING_CONTENT];
  fact[ST_P_PLANNER_SAVE_FACT_SOURCE] = given[ST_P_PLANNER_PROMOTE_LEARNING_SOURCE];
  fact[ST_P_PLANNER_SAVE_FACT_SESSION] =
      strcmp(category->bytes, "user") == 0 ? learning[ST_R_PLANNER_LOOK_LEARNING_SESSION] : st_textz(NULL);
  fact[ST_P_PLANNER_SAVE_FACT_CATEGORY] = *category;
  fact[ST_P_PLANNER_SAVE_FACT_CONFIDENCE] = given[ST_P_PLANNER_PROMOTE_LEARNING_CONFIDENCE];
  fact[ST_P_PLANNER_SAVE_FACT_LINK] = given[ST_P_PLANNER_PROMOTE_LEARNING_LINK];
  fact[ST_P_PLANNER_SAVE_FACT_NOW] = given[ST_P_PLANNER_PROMOTE_LEARNING_NOW];
  int64_t id = st_planner_keep_fact(call, fact, "", &existing);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_PLANNER_PROMOTE_LEARNING_FACT_ID] = st_int(id);
  reply[ST_R_PLANNER_PROMOTE_LEARNING_EXISTING] = st_bool(existing);
}

void st_planner_ask_learning(st_call *call) {
  const st_value *given = call->args;
  st_value learning[COLUMNS], item[4];
  if (!take(call, st_arg_int(call, ST_P_PLANNER_ASK_LEARNING_ID), learning)) return;
  item[ST_P_PLANNER_SAVE_PENDING_ITEM_CONTENT] = given[ST_P_PLANNER_ASK_LEARNING_QUESTION];
  item[ST_P_PLANNER_SAVE_PENDING_ITEM_SCOPE] = learning[ST_R_PLANNER_LOOK_LEARNING_SESSION];
  item[ST_P_PLANNER_SAVE_PENDING_ITEM_SOURCE] = given[ST_P_PLANNER_ASK_LEARNING_SOURCE];
  item[ST_P_PLANNER_SAVE_PENDING_ITEM_NOW] = given[ST_P_PLANNER_ASK_LEARNING_NOW];
  int64_t id = st_planner_insert(call, STELE_M_PLANNER_SAVE_PENDING_ITEM, item);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_PLANNER_ASK_LEARNING_PENDING_ID] = st_int(id);
}
