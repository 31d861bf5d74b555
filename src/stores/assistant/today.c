/* today.c - what happened today, where a day begins in a time zone. */
#include <string.h>

#include "base/zone.h"
#include "registry_ids.h"
#include "stores/assistant/assistant.h"

/* A time of this store, in the call's memory. */
static st_value tell_time(st_call *call, st_micros time) {
  char text[ST_TIME_MAX];
  if (!st_time_iso(time, text)) {
    st_fail(call, STELE_INVALID, "now", "now: its day is not within the years 0 to 9999");
    return st_textz(NULL);
  }
  return st_textz(st_call_copy(call, text, strlen(text)));
}

void st_assistant_day(st_call *call, const st_value *timezone, const st_value *now, st_value day[2]) {
  const st_zone *zone = NULL;
  st_micros time = 0, start = 0, end = 0;
  st_zones zones;
  if (!st_ok(call)) return;
  st_zones_init(&zones, NULL);
  st_zone_status status = st_zones_get(&zones, timezone->bytes, &zone);
  if (status == ST_ZONE_NOMEM)
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  else if (status != ST_ZONE_OK)
    st_fail(call, STELE_INVALID, "timezone", "timezone: %.100s %s", timezone->bytes, st_zone_problem(status));
  else if (!st_time_parse(now->bytes, now->length, &time))
    st_fail(call, STELE_INVALID, "now", "now: %.100s is not a time", now->bytes);
  else
    st_zone_day(zone, time, &start, &end);
  st_zones_free(&zones);
  if (!st_ok(call)) return;
  day[0] = tell_time(call, start);
  day[1] = tell_time(call, end);
}

void st_assistant_count_delegations_today(st_call *call) {
  st_value day[2] = {{0}}, count = st_int(0);
  st_assistant_day(call, &call->args[ST_P_ASSISTANT_COUNT_DELEGATIONS_TODAY_TIMEZONE],
                   &call->args[ST_P_ASSISTANT_COUNT_DELEGATIONS_TODAY_NOW], day);
  st_one(call, STELE_M_ASSISTANT_COUNT_DELEGATIONS_BETWEEN, day, &count);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_ASSISTANT_COUNT_DELEGATIONS_TODAY_DELEGATIONS] = count;
}
_Static_assert(ST_P_ASSISTANT_COUNT_DELEGATIONS_BETWEEN_SINCE == 0 &&
                   ST_P_ASSISTANT_COUNT_DELEGATIONS_BETWEEN_UNTIL == 1,
               "a day is what counting between two times takes");
