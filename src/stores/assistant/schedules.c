/* schedules.c - scheduled tasks: which are due, and when they fire. */
#include <stdio.h>
#include <string.h>

#include "base/cron.h"
#include "registry_ids.h"
#include "stores/assistant/assistant.h"
#include "stores/assistant/when.h"

/* What is read of a task; list_ and get_due_scheduled_tasks reply with the same, and more. */
enum {
  ID = ST_R_ASSISTANT_READ_SCHEDULED_TASKS_ID,
  CRON = ST_R_ASSISTANT_READ_SCHEDULED_TASKS_CRON_EXPRESSION,
  ZONE = ST_R_ASSISTANT_READ_SCHEDULED_TASKS_TIMEZONE,
  ENABLED = ST_R_ASSISTANT_READ_SCHEDULED_TASKS_ENABLED,
  LAST_RUN = ST_R_ASSISTANT_READ_SCHEDULED_TASKS_LAST_RUN,
  CREATED_AT = ST_R_ASSISTANT_READ_SCHEDULED_TASKS_CREATED_AT,
  READ = CREATED_AT + 1
};
_Static_assert((int)ST_R_ASSISTANT_LIST_SCHEDULED_TASKS_CREATED_AT == CREATED_AT &&
                   (int)ST_R_ASSISTANT_GET_DUE_SCHEDULED_TASKS_CREATED_AT == CREATED_AT,
               "tasks are replied as they are read");

/* ---- Tasks and their schedules ---- */

#define PROBLEM_MAX (ST_CRON_WHY_MAX + 40)

/* Goes through the tasks. */
typedef struct tasks {
  st_rows rows;
  st_zones zones;
  st_value task[READ];
  st_cron cron;
  const st_zone *zone;
  st_micros done;            /* slots up to then are done with */
  char problem[PROBLEM_MAX]; /* "": it can be run */
} tasks;

static void start(st_call *call, tasks *t) {
  st_zones_init(&t->zones, NULL);
  st_rows_start(call, &t->rows, STELE_M_ASSISTANT_READ_SCHEDULED_TASKS, NULL);
}

static void end(st_call *call, tasks *t) {
  st_rows_end(call, &t->rows);
  st_zones_free(&t->zones);
}

/* The later of the last run and the making. */
static bool read_times(tasks *t) {
  st_micros ran;
  if (!st_assistant_time(&t->task[CREATED_AT], &t->done)) return false;
  if (t->task[LAST_RUN].type != ST_TEXT) return true;
  if (!st_assistant_time(&t->task[LAST_RUN], &ran)) return false;
  if (ran > t->done) t->done = ran;
  return true;
}

/* Rows may come from programs that check less. */
static void understand(st_call *call, tasks *t) {
  const st_value *cron = &t->task[CRON], *zone = &t->task[ZONE];
  char why[ST_CRON_WHY_MAX];
  snprintf(t->problem, sizeof t->problem, "%s", read_times(t) ? "" : "last_run or created_at is not a time");
  if (!st_cron_parse(cron->bytes, cron->length, &t->cron, why))
    snprintf(t->problem, sizeof t->problem, "cron_expression: %s", why);
  st_zone_status status = st_zones_get(&t->zones, zone->bytes, &t->zone);
  if (status == ST_ZONE_NOMEM)
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  else if (status != ST_ZONE_OK)
    snprintf(t->problem, sizeof t->problem, "timezone %s", st_zone_problem(status));
}

static bool next(st_call *call, tasks *t) {
  if (!st_rows_next(call, &t->rows)) return false;
  for (size_t i = 0; i < READ; i++) st_rows_value(call, &t->rows, i, &t->task[i]);
  understand(call, t);
  return st_ok(call);
}

void st_assistant_list_scheduled_tasks(st_call *call) {
  st_micros now, slot;
  tasks t;
  start(call, &t);
  while (st_assistant_time(&call->args[ST_P_ASSISTANT_LIST_SCHEDULED_TASKS_NOW], &now) && next(call, &t)) {
    st_value *reply = st_reply_read(call, &t.rows, ST_ALL_COLUMNS);
    if (!reply) break;
    if (*t.problem)
      reply[ST_R_ASSISTANT_LIST_SCHEDULED_TASKS_PROBLEM] = st_textz(st_call_copy(call, t.problem, strlen(t.problem)));
    else if (t.task[ENABLED].integer && st_cron_next(&t.cron, t.zone, now, &slot))
      reply[ST_R_ASSISTANT_LIST_SCHEDULED_TASKS_NEXT_RUN] = st_assistant_told_time(call, slot);
  }
  end(call, &t);
}

void st_assistant_get_due_scheduled_tasks(st_call *call) {
  st_micros now, slot;
  tasks t;
  start(call, &t);
  while (st_assistant_time(&call->args[ST_P_ASSISTANT_GET_DUE_SCHEDULED_TASKS_NOW], &now) && next(call, &t)) {
    if (!t.task[ENABLED].integer) continue;
    if (*t.problem) {
      st_note(call, "task %.100s cannot be run: %s", t.task[ID].bytes, t.problem);
    } else if (st_cron_last(&t.cron, t.zone, t.done, now, &slot)) {
      st_value *reply = st_reply_read(call, &t.rows, ST_ALL_COLUMNS);
      if (reply) reply[ST_R_ASSISTANT_GET_DUE_SCHEDULED_TASKS_SLOT] = st_assistant_told_time(call, slot);
    }
  }
  end(call, &t);
}

/* ---- For people ---- */

/* "2026-03-29T03:00:00+02:00" */
static st_value local_time(st_call *call, const st_zone *zone, st_micros time) {
  char text[ST_TIME_MAX];
  int offset;
  st_civil local = st_zone_local(zone, time, &offset);
  int minutes = (offset < 0 ? -offset : offset) / 60;
  int length = snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d%c%02d:%02d", (int)local.date.year,
                        local.date.month, local.date.day, local.hour, local.minute, local.second,
                        offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
  return st_textz(st_call_copy(call, text, (size_t)length));
}

void st_assistant_next_runs(st_call *call) {
  const st_value *given = call->args, *text = &given[ST_P_ASSISTANT_NEXT_RUNS_CRON_EXPRESSION];
  st_micros time;
  st_zones zones;
  st_cron cron;
  char why[ST_CRON_WHY_MAX];
  st_zones_init(&zones, NULL);
  const st_zone *zone = st_assistant_zone(call, &zones, &given[ST_P_ASSISTANT_NEXT_RUNS_TIMEZONE]);
  bool more = zone && st_assistant_time(&given[ST_P_ASSISTANT_NEXT_RUNS_AFTER], &time) &&
              st_cron_parse(text->bytes, text->length, &cron, why);
  for (int64_t left = st_arg_int(call, ST_P_ASSISTANT_NEXT_RUNS_COUNT); more && left > 0; left--) {
    more = st_cron_next(&cron, zone, time, &time);
    st_value *reply = more ? st_reply(call) : NULL;
    if (!reply) break;
    reply[ST_R_ASSISTANT_NEXT_RUNS_SLOT] = st_assistant_told_time(call, time);
    reply[ST_R_ASSISTANT_NEXT_RUNS_LOCAL] = local_time(call, zone, time);
  }
  st_zones_free(&zones);
}
