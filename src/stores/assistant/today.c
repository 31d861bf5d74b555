/* today.c - what happened today, where a day begins in a time zone. */
#include "registry_ids.h"
#include "stores/assistant/assistant.h"
#include "stores/assistant/when.h"

void st_assistant_day(st_call *call, const st_value *timezone, const st_value *now, st_value day[2]) {
  st_micros time, start, end;
  st_zones zones;
  st_zones_init(&zones, NULL);
  const st_zone *zone = st_assistant_zone(call, &zones, timezone);
  if (zone && st_assistant_time(now, &time)) {
    st_zone_day(zone, time, &start, &end);
    day[0] = st_assistant_told_time(call, start);
    day[1] = st_assistant_told_time(call, end);
  }
  st_zones_free(&zones);
}

/* Count what is between two times, by a method that takes them and answers a number. */
static void count_day(st_call *call, const st_value *timezone, const st_value *now, int method) {
  st_value day[2] = {{0}}, count = st_int(0);
  st_assistant_day(call, timezone, now, day);
  st_one(call, method, day, &count);
  st_value *reply = st_reply(call);
  if (reply) reply[0] = count;
}

void st_assistant_count_delegations_today(st_call *call) {
  count_day(call, &call->args[ST_P_ASSISTANT_COUNT_DELEGATIONS_TODAY_TIMEZONE],
            &call->args[ST_P_ASSISTANT_COUNT_DELEGATIONS_TODAY_NOW], STELE_M_ASSISTANT_COUNT_DELEGATIONS_BETWEEN);
}

void st_assistant_count_followups_today(st_call *call) {
  count_day(call, &call->args[ST_P_ASSISTANT_COUNT_FOLLOWUPS_TODAY_TIMEZONE],
            &call->args[ST_P_ASSISTANT_COUNT_FOLLOWUPS_TODAY_NOW], STELE_M_ASSISTANT_COUNT_FOLLOWUPS_BETWEEN);
}

void st_assistant_get_tasks_due(st_call *call) {
  st_assistant_clock clock;
  st_rows rows;
  if (!st_assistant_look(call, &call->args[ST_P_ASSISTANT_GET_TASKS_DUE_TIMEZONE],
                         &call->args[ST_P_ASSISTANT_GET_TASKS_DUE_NOW], &clock))
    return;
  st_value today = st_textz(clock.today);
  st_rows_start(call, &rows, STELE_M_ASSISTANT_FIND_TASKS_DUE, &today);
  while (st_rows_next(call, &rows)) st_reply_read(call, &rows, ST_ALL_COLUMNS);
  st_rows_end(call, &rows);
}

_Static_assert(ST_P_ASSISTANT_COUNT_DELEGATIONS_BETWEEN_SINCE == 0 &&
                   ST_P_ASSISTANT_COUNT_DELEGATIONS_BETWEEN_UNTIL == 1 &&
                   ST_P_ASSISTANT_COUNT_FOLLOWUPS_BETWEEN_SINCE == 0 && ST_P_ASSISTANT_COUNT_FOLLOWUPS_BETWEEN_UNTIL == 1,
               "a day is what counting between two times takes");
