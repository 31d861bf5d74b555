/* plans.c - plans are made, moved on, cancelled and replaced, always together with their tasks. */
#include "registry_ids.h"
#include "stores/planner/planner.h"

enum { COLUMNS = ST_R_PLANNER_LOOK_PLAN_STATUS + 1 };

static void set_status(st_call *call, int64_t id, const st_value *status) {
  st_value args[2];
  args[ST_P_PLANNER_SET_PLAN_STATUS_ID] = st_int(id);
  args[ST_P_PLANNER_SET_PLAN_STATUS_STATUS] = *status;
  st_run(call, STELE_M_PLANNER_SET_PLAN_STATUS, args);
}

/* The plan of that number, which may get that status; else field is to blame. */
static void get_for(st_call *call, const char *field, int64_t id, const st_value *status, st_value plan[COLUMNS]) {
  st_planner_get(call, STELE_M_PLANNER_LOOK_PLAN, "id", id, plan);
  if (st_ok(call)) st_planner_check_move(call, field, "plan", id, &plan[ST_R_PLANNER_LOOK_PLAN_STATUS], status);
}

static int64_t close_tasks(st_call *call, int64_t plan, const st_value *status, bool running, st_value reason,
                           const st_value *now) {
  st_value args[5];
  args[ST_P_PLANNER_CLOSE_TASKS_PLAN_ID] = st_int(plan);
  args[ST_P_PLANNER_CLOSE_TASKS_STATUS] = *status;
  args[ST_P_PLANNER_CLOSE_TASKS_RUNNING] = st_bool(running);
  args[ST_P_PLANNER_CLOSE_TASKS_REASON] = reason;
  args[ST_P_PLANNER_CLOSE_TASKS_NOW] = *now;
  return st_run(call, STELE_M_PLANNER_CLOSE_TASKS, args);
}

void st_planner_create_plan(st_call *call) {
  const st_value *given = call->args;
  const st_value *message = &given[ST_P_PLANNER_CREATE_PLAN_MESSAGE_ID];
  const st_value *parent = &given[ST_P_PLANNER_CREATE_PLAN_PARENT_ID];
  st_value args[6], old[COLUMNS];
  if (parent->type == ST_INT) st_planner_get(call, STELE_M_PLANNER_LOOK_PLAN, "parent_id", parent->integer, old);
  args[ST_P_PLANNER_INSERT_PLAN_SESSION] = given[ST_P_PLANNER_CREATE_PLAN_SESSION];
  args[ST_P_PLANNER_INSERT_PLAN_MESSAGE_ID] = *message;
  args[ST_P_PLANNER_INSERT_PLAN_GOAL] = given[ST_P_PLANNER_CREATE_PLAN_GOAL];
  args[ST_P_PLANNER_INSERT_PLAN_PARENT_ID] = *parent;
  args[ST_P_PLANNER_INSERT_PLAN_MODEL] = given[ST_P_PLANNER_CREATE_PLAN_MODEL];
  args[ST_P_PLANNER_INSERT_PLAN_NOW] = given[ST_P_PLANNER_CREATE_PLAN_NOW];
  int64_t id = st_planner_insert(call, STELE_M_PLANNER_INSERT_PLAN, args);
  if (st_arg_int(call, ST_P_PLANNER_CREATE_PLAN_MARK_PROCESSED))
    st_run(call, STELE_M_PLANNER_MARK_MESSAGE_PROCESSED, message);
  st_value tasks =
      st_planner_insert_tasks(call, &given[ST_P_PLANNER_CREATE_PLAN_TASKS], id,
                              &given[ST_P_PLANNER_CREATE_PLAN_SESSION], &given[ST_P_PLANNER_CREATE_PLAN_NOW]);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_PLANNER_CREATE_PLAN_ID] = st_int(id);
  reply[ST_R_PLANNER_CREATE_PLAN_TASK_IDS] = tasks;
}

void st_planner_update_plan_status(st_call *call) {
  int64_t id = st_arg_int(call, ST_P_PLANNER_UPDATE_PLAN_STATUS_ID);
  const st_value *status = &call->args[ST_P_PLANNER_UPDATE_PLAN_STATUS_STATUS];
  st_value plan[COLUMNS];
  get_for(call, "status", id, status, plan);
  set_status(call, id, status);
}

void st_planner_cancel_plan(st_call *call) {
  int64_t id = st_arg_int(call, ST_P_PLANNER_CANCEL_PLAN_ID);
  const st_value status = st_textz("cancelled");
  st_value plan[COLUMNS];
  get_for(call, "id", id, &status, plan);
  set_status(call, id, &status);
  int64_t cancelled = close_tasks(call, id, &status, false, st_textz(NULL), &call->args[ST_P_PLANNER_CANCEL_PLAN_NOW]);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_PLANNER_CANCEL_PLAN_CANCELLED] = st_int(cancelled);
}

void st_planner_supersede_plan(st_call *call) {
  const st_value *given = call->args, *now = &given[ST_P_PLANNER_SUPERSEDE_PLAN_NOW];
  const st_value *status = &given[ST_P_PLANNER_SUPERSEDE_PLAN_STATUS], failed = st_textz("failed");
  int64_t id = st_arg_int(call, ST_P_PLANNER_SUPERSEDE_PLAN_ID);
  st_value plan[COLUMNS] = {{0}}, args[6];
  get_for(call, "id", id, status, plan);
  set_status(call, id, status);
  int64_t superseded = close_tasks(call, id, &failed, true, given[ST_P_PLANNER_SUPERSEDE_PLAN_REASON], now);
  bool named = st_has(call, ST_P_PLANNER_SUPERSEDE_PLAN_MESSAGE_ID);
  args[ST_P_PLANNER_INSERT_PLAN_SESSION] = plan[ST_R_PLANNER_LOOK_PLAN_SESSION];
  args[ST_P_PLANNER_INSERT_PLAN_MESSAGE_ID] =
      named ? given[ST_P_PLANNER_SUPERSEDE_PLAN_MESSAGE_ID] : plan[ST_R_PLANNER_LOOK_PLAN_MESSAGE_ID];
  args[ST_P_PLANNER_INSERT_PLAN_GOAL] = given[ST_P_PLANNER_SUPERSEDE_PLAN_GOAL];
  args[ST_P_PLANNER_INSERT_PLAN_PARENT_ID] = st_int(id);
  args[ST_P_PLANNER_INSERT_PLAN_MODEL] = given[ST_P_PLANNER_SUPERSEDE_PLAN_MODEL];
  args[ST_P_PLANNER_INSERT_PLAN_NOW] = *now;
  int64_t made = st_planner_insert(call, STELE_M_PLANNER_INSERT_PLAN, args);
  st_value tasks = st_planner_insert_tasks(call, &given[ST_P_PLANNER_SUPERSEDE_PLAN_TASKS], made,
                                           &plan[ST_R_PLANNER_LOOK_PLAN_SESSION], now);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_PLANNER_SUPERSEDE_PLAN_ID] = st_int(made);
  reply[ST_R_PLANNER_SUPERSEDE_PLAN_SUPERSEDED] = st_int(superseded);
  reply[ST_R_PLANNER_SUPERSEDE_PLAN_TASK_IDS] = tasks;
}
