/* alerts.c - rules by which the user is told something unasked: which are due. */
#include <string.h>

#include "base/json.h"
#include "registry_ids.h"
#include "stores/assistant/assistant.h"
#include "stores/assistant/when.h"

#define TASKS_MAX (16u << 20) /* bytes of JSON */
#define MICROS_PER_HOUR (3600 * ST_MICROS_PER_SECOND)

/* ---- Conditions ---- */

/* An object; its fire_hour, if it has one, is an hour.  Answers what is wrong, to be put after the field's name, or
** NULL. */
static const char *read_conditions(st_call *call, const st_value *text, int *fire_hour) {
  st_json_error error;
  const st_json *json = st_json_parse(call->arena, text->bytes, text->length, 0, &error), *hour;
  *fire_hour = 0;
  if (!json && error.nomem) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (!json || json->type != ST_JSON_OBJECT) return "must be an object";
  if (!(hour = st_json_get(json, "fire_hour"))) return NULL;
  if (hour->type != ST_JSON_INT || hour->integer < 0 || hour->integer > 23) return "must have a fire_hour from 0 to 23, or none";
  *fire_hour = (int)hour->integer;
  return NULL;
}

static void check_conditions(st_call *call, const st_value *conditions) {
  int fire_hour;
  const char *wrong = conditions->type == ST_TEXT ? read_conditions(call, conditions, &fire_hour) : NULL;
  if (wrong) st_fail(call, STELE_INVALID, "conditions", "conditions %s", wrong);
}

void st_assistant_create_alert_rule(st_call *call) {
  check_conditions(call, &call->args[ST_P_ASSISTANT_CREATE_ALERT_RULE_CONDITIONS]);
  st_reply_one(call, STELE_M_ASSISTANT_INSERT_ALERT_RULE, call->args); /* the same fields in the same order */
}
_Static_assert((int)ST_P_ASSISTANT_CREATE_ALERT_RULE_CONDITIONS == (int)ST_P_ASSISTANT_INSERT_ALERT_RULE_CONDITIONS &&
                   (int)ST_P_ASSISTANT_CREATE_ALERT_RULE_CREATED_AT == (int)ST_P_ASSISTANT_INSERT_ALERT_RULE_CREATED_AT,
               "create_alert_rule and insert_alert_rule have the same fields");

void st_assistant_update_alert_rule(st_call *call) {
  check_conditions(call, &call->args[ST_P_ASSISTANT_UPDATE_ALERT_RULE_CONDITIONS]);
  int64_t updated = st_run(call, STELE_M_ASSISTANT_WRITE_ALERT_RULE, call->args); /* the same fields in the same order */
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_ASSISTANT_UPDATE_ALERT_RULE_UPDATED] = st_int(updated);
}
_Static_assert((int)ST_P_ASSISTANT_UPDATE_ALERT_RULE_CONDITIONS == (int)ST_P_ASSISTANT_WRITE_ALERT_RULE_CONDITIONS &&
                   (int)ST_P_ASSISTANT_UPDATE_ALERT_RULE_LAST_FIRED == (int)ST_P_ASSISTANT_WRITE_ALERT_RULE_LAST_FIRED,
               "update_alert_rule and write_alert_rule have the same fields");

/* ---- What is due ---- */

enum { RULE = ST_R_ASSISTANT_LIST_ALERT_RULES_CREATED_AT + 1 };
_Static_assert((int)ST_R_ASSISTANT_GET_DUE_ALERT_RULES_TASKS == RULE, "rules are replied as they are listed");

/* Has its cooldown passed, and its hour come? */
static bool is_time(st_call *call, const st_assistant_clock *clock, const st_value *rule) {
  int fire_hour;
  st_micros fired, cooldown = rule[ST_R_ASSISTANT_LIST_ALERT_RULES_COOLDOWN_HOURS].integer * MICROS_PER_HOUR;
  const char *wrong = read_conditions(call, &rule[ST_R_ASSISTANT_LIST_ALERT_RULES_CONDITIONS], &fire_hour);
  if (wrong) {
    st_note(call, "rule %.100s is left out: its conditions %s", rule[ST_R_ASSISTANT_LIST_ALERT_RULES_ID].bytes, wrong);
    return false;
  }
  if (st_assistant_time(&rule[ST_R_ASSISTANT_LIST_ALERT_RULES_LAST_FIRED], &fired) && clock->now - fired < cooldown) return false;
  return clock->hour >= fire_hour;
}

static void add_member(st_str *out, const char *before, const st_value *text) {
  st_str_addz(out, before);
  st_json_add_string(out, text->bytes, text->length);
}

/* The tasks that find_open_tasks names, as a JSON array; null if there is none. */
static st_value open_tasks(st_call *call, const st_value *args) {
  st_rows rows;
  st_value id, title, due;
  st_str out;
  st_str_init(&out, TASKS_MAX);
  st_rows_start(call, &rows, STELE_M_ASSISTANT_FIND_OPEN_TASKS, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_ASSISTANT_FIND_OPEN_TASKS_ID, &id);
    st_rows_value(call, &rows, ST_R_ASSISTANT_FIND_OPEN_TASKS_TITLE, &title);
    st_rows_value(call, &rows, ST_R_ASSISTANT_FIND_OPEN_TASKS_DUE_DATE, &due);
    add_member(&out, out.length ? ",{\"id\":" : "[{\"id\":", &id);
    add_member(&out, ",\"title\":", &title);
    add_member(&out, ",\"due_date\":", &due);
    st_str_addc(&out, '}');
  }
  st_rows_end(call, &rows);
  bool none = out.length == 0;
  st_str_addc(&out, ']');
  if (out.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_value tasks = st_textz(none || out.failed ? NULL : st_call_copy(call, out.text, out.length));
  st_str_free(&out);
  return tasks;
}

/* A rule about tasks is due only if there are any; of other rules the caller knows more. */
static bool has_cause(st_call *call, const st_assistant_clock *clock, const st_value *trigger, st_value *tasks) {
  st_value args[ST_P_ASSISTANT_FIND_OPEN_TASKS_BEFORE + 1] = {{0}};
  *tasks = st_textz(NULL);
  if (strcmp(trigger->bytes, "task_due_today") == 0) args[ST_P_ASSISTANT_FIND_OPEN_TASKS_ON] = st_textz(clock->today);
  else if (strcmp(trigger->bytes, "task_overdue") == 0) args[ST_P_ASSISTANT_FIND_OPEN_TASKS_BEFORE] = st_textz(clock->today);
  else return true;
  *tasks = open_tasks(call, args);
  return tasks->type == ST_TEXT;
}

void st_assistant_get_due_alert_rules(st_call *call) {
  st_value enabled = st_bool(true), rule[RULE], tasks;
  st_assistant_clock clock;
  st_rows rows;
  if (!st_assistant_look(call, &call->args[ST_P_ASSISTANT_GET_DUE_ALERT_RULES_TIMEZONE],
                         &call->args[ST_P_ASSISTANT_GET_DUE_ALERT_RULES_NOW], &clock))
    return;
  st_rows_start(call, &rows, STELE_M_ASSISTANT_LIST_ALERT_RULES, &enabled);
  while (st_rows_next(call, &rows)) {
    for (size_t i = 0; i < RULE; i++) st_rows_value(call, &rows, i, &rule[i]);
    if (!is_time(call, &clock, rule) || !has_cause(call, &clock, &rule[ST_R_ASSISTANT_LIST_ALERT_RULES_TRIGGER_TYPE], &tasks)) continue;
    st_value *reply = st_reply_read(call, &rows, ST_ALL_COLUMNS);
    if (reply) reply[ST_R_ASSISTANT_GET_DUE_ALERT_RULES_TASKS] = tasks;
  }
  st_rows_end(call, &rows);
}
