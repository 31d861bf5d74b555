/* tasks.c - tasks are made and moved on. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "registry_ids.h"
#include "stores/planner/planner.h"
#include "stores/planner/told.h"

enum { FIELDS = ST_P_PLANNER_INSERT_TASK_NOW + 1 };

#define IDS_MAX (1u << 20) /* bytes */

/* What is reviewed needs to say by what success is known.  place stands before the field's name. */
static int64_t insert(st_call *call, const st_value task[FIELDS], const char *place) {
  const st_value *type = &task[ST_P_PLANNER_INSERT_TASK_TYPE], *expect = &task[ST_P_PLANNER_INSERT_TASK_EXPECT];
  bool reviewed = strcmp(type->bytes, "exec") == 0 || strcmp(type->bytes, "skill") == 0;
  if (reviewed && (expect->type != ST_TEXT || expect->length == 0)) {
    char field[60];
    snprintf(field, sizeof field, "%sexpect", place);
    st_fail(call, STELE_INVALID, field,
            "%s is needed: a task of type %s is reviewed, and must say by what success is known", field, type->bytes);
  }
  return st_planner_insert(call, STELE_M_PLANNER_INSERT_TASK, task);
}

void st_planner_create_task(st_call *call) {
  const st_value *given = call->args, *session = &given[ST_P_PLANNER_CREATE_TASK_SESSION];
  st_value task[FIELDS], plan[ST_R_PLANNER_LOOK_PLAN_STATUS + 1];
  st_planner_get(call, STELE_M_PLANNER_LOOK_PLAN, "plan_id", st_arg_int(call, ST_P_PLANNER_CREATE_TASK_PLAN_ID), plan);
  if (!st_ok(call)) return;
  memcpy(task, given, sizeof task); /* the same fields in the same order */
  if (session->type != ST_TEXT) task[ST_P_PLANNER_INSERT_TASK_SESSION] = plan[ST_R_PLANNER_LOOK_PLAN_SESSION];
  int64_t id = insert(call, task, "");
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_PLANNER_CREATE_TASK_ID] = st_int(id);
}
_Static_assert((int)ST_P_PLANNER_CREATE_TASK_NOW == (int)ST_P_PLANNER_INSERT_TASK_NOW &&
                   (int)ST_P_PLANNER_CREATE_TASK_EXPECT == (int)ST_P_PLANNER_INSERT_TASK_EXPECT,
               "create_task and insert_task have the same fields");

st_value st_planner_insert_tasks(st_call *call, const st_value *tasks, int64_t plan, const st_value *session,
                                 const st_value *now) {
  st_str ids;
  st_str_init(&ids, IDS_MAX);
  st_str_addc(&ids, '[');
  for (uint32_t i = 0; i < tasks->count && st_ok(call); i++) {
    st_value task[FIELDS];
    char place[30];
    memcpy(task, tasks->items + (size_t)i * tasks->width, sizeof task);
    task[ST_P_PLANNER_INSERT_TASK_PLAN_ID] = st_int(plan);
    task[ST_P_PLANNER_INSERT_TASK_SESSION] = *session;
    task[ST_P_PLANNER_INSERT_TASK_NOW] = *now;
    snprintf(place, sizeof place, "tasks[%u].", i);
    if (i) st_str_addc(&ids, ',');
    st_json_add_int(&ids, insert(call, task, place));
  }
  st_str_addc(&ids, ']');
  return st_take(call, &ids);
}

void st_planner_update_task(st_call *call) {
  int64_t id = st_arg_int(call, ST_P_PLANNER_UPDATE_TASK_ID);
  const st_value *status = &call->args[ST_P_PLANNER_UPDATE_TASK_STATUS];
  st_value is;
  st_planner_get(call, STELE_M_PLANNER_LOOK_TASK, "id", id, &is);
  if (st_ok(call) && status->type == ST_TEXT) st_planner_check_move(call, "status", "task", id, &is, status);
  st_run(call, STELE_M_PLANNER_WRITE_TASK, call->args); /* the same fields in the same order */
}
_Static_assert((int)ST_P_PLANNER_UPDATE_TASK_NOW == (int)ST_P_PLANNER_WRITE_TASK_NOW &&
                   (int)ST_P_PLANNER_UPDATE_TASK_OUTPUT == (int)ST_P_PLANNER_WRITE_TASK_OUTPUT,
               "update_task and write_task have the same fields");
