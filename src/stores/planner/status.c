/* status.c - planner.status: what whoever watches a session is told. */
#include <string.h>

#include "base/json.h"
#include "registry_ids.h"
#include "stores/planner/planner.h"
#include "stores/planner/told.h"

#define CALLS_MAX (1u << 30)

/* ---- Calls of models, without what was said in them ---- */

static bool is_said(const st_json *member) {
  return strcmp(member->key, "messages") == 0 || strcmp(member->key, "response") == 0;
}

static void add_quiet(st_str *out, const st_json *entry) {
  bool first = true;
  if (entry->type != ST_JSON_OBJECT) {
    st_str_add(out, entry->raw, entry->raw_length);
    return;
  }
  st_str_addc(out, '{');
  for (const st_json *member = entry->first; member; member = member->next) {
    if (is_said(member)) continue;
    if (!first) st_str_addc(out, ',');
    first = false;
    st_json_add_string(out, member->key, member->key_length);
    st_str_addc(out, ':');
    st_str_add(out, member->raw, member->raw_length);
  }
  st_str_addc(out, '}');
}

/* What is no array is told as it is. */
static st_value quiet(st_call *call, const st_value *calls) {
  st_json_error error = {0};
  st_str out;
  if (calls->type != ST_TEXT || !st_ok(call)) return *calls;
  const st_json *list = st_json_parse(call->arena, calls->bytes, calls->length, 0, &error);
  if (!list && error.nomem) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (!list || list->type != ST_JSON_ARRAY) return *calls;
  st_str_init(&out, CALLS_MAX);
  st_str_addc(&out, '[');
  for (const st_json *entry = list->first; entry; entry = entry->next) {
    if (entry != list->first) st_str_addc(&out, ',');
    add_quiet(&out, entry);
  }
  st_str_addc(&out, ']');
  return st_take(call, &out);
}

/* ---- The parts ---- */

static st_value tell(st_call *call, int method, st_value *row, size_t calls) {
  if (!st_arg_int(call, ST_P_PLANNER_STATUS_VERBOSE)) row[calls] = quiet(call, &row[calls]);
  return st_told_row(call, &st_registry.methods[method], row, SIZE_MAX);
}

static bool is_active(const st_value *status) {
  return strcmp(status->bytes, "running") == 0 || strcmp(status->bytes, "replanning") == 0;
}

/* Null if there is none. */
static st_value tell_plan(st_call *call, const st_value *session, bool *active) {
  st_value plan[ST_R_PLANNER_GET_PLAN_FOR_SESSION_CREATED_AT + 1];
  *active = false;
  if (!st_one(call, STELE_M_PLANNER_GET_PLAN_FOR_SESSION, session, plan)) return st_textz(NULL);
  *active = is_active(&plan[ST_R_PLANNER_GET_PLAN_FOR_SESSION_STATUS]);
  return tell(call, STELE_M_PLANNER_GET_PLAN_FOR_SESSION, plan, ST_R_PLANNER_GET_PLAN_FOR_SESSION_LLM_CALLS);
}

static st_value tell_tasks(st_call *call, const st_value *session) {
  st_value args[ST_P_PLANNER_GET_TASKS_FOR_SESSION_LIMIT + 1] = {{0}};
  st_value task[ST_R_PLANNER_GET_TASKS_FOR_SESSION_UPDATED_AT + 1];
  st_budget all = {.left = INT64_MAX, .text_max = SIZE_MAX};
  st_told told = {0};
  st_rows rows;
  args[ST_P_PLANNER_GET_TASKS_FOR_SESSION_SESSION] = *session;
  args[ST_P_PLANNER_GET_TASKS_FOR_SESSION_AFTER] = call->args[ST_P_PLANNER_STATUS_AFTER];
  st_rows_start(call, &rows, STELE_M_PLANNER_GET_TASKS_FOR_SESSION, args);
  while (st_rows_next(call, &rows)) {
    for (size_t i = 0; i < sizeof task / sizeof *task; i++) st_rows_value(call, &rows, i, &task[i]);
    st_told_add(call, &told, &all,
                tell(call, STELE_M_PLANNER_GET_TASKS_FOR_SESSION, task, ST_R_PLANNER_GET_TASKS_FOR_SESSION_LLM_CALLS));
  }
  st_rows_end(call, &rows);
  return st_told_array(call, &told, false);
}

void st_planner_status(st_call *call) {
  const st_value *session = &call->args[ST_P_PLANNER_STATUS_SESSION];
  st_value known[ST_R_PLANNER_GET_SESSION_UPDATED_AT + 1] = {{0}}, waiting = st_int(0);
  bool active, there = st_one(call, STELE_M_PLANNER_GET_SESSION, session, known);
  st_value plan = tell_plan(call, session, &active);
  st_one(call, STELE_M_PLANNER_COUNT_WAITING, session, &waiting);
  if (!there && plan.type == ST_NULL && waiting.integer == 0) return;
  st_value tasks = tell_tasks(call, session), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_PLANNER_STATUS_SESSION] = *session;
  if (there) reply[ST_R_PLANNER_STATUS_UPDATED_AT] = known[ST_R_PLANNER_GET_SESSION_UPDATED_AT];
  reply[ST_R_PLANNER_STATUS_ACTIVE] = st_bool(active);
  reply[ST_R_PLANNER_STATUS_QUEUE_LENGTH] = waiting;
  reply[ST_R_PLANNER_STATUS_PLAN] = plan;
  reply[ST_R_PLANNER_STATUS_TASKS] = tasks;
}
