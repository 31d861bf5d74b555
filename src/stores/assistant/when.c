/* when.c - times and time zones as the methods of this store take and tell them. */
#include "stores/assistant/when.h"

#include <stdio.h>
#include <string.h>

bool st_assistant_time(const st_value *value, st_micros *out) {
  return value->type == ST_TEXT && st_time_parse(value->bytes, value->length, out);
}

st_value st_assistant_told_time(st_call *call, st_micros time) {
  char text[ST_TIME_MAX];
  if (!st_time_iso(time, text)) st_fail(call, STELE_INVALID, NULL, "a time is not within the years 0 to 9999");
  return st_textz(st_ok(call) ? st_call_copy(call, text, strlen(text)) : NULL);
}

/* It has been checked, but its file is read again, and may be gone by now. */
const st_zone *st_assistant_zone(st_call *call, st_zones *zones, const st_value *name) {
  const st_zone *zone = NULL;
  if (!st_ok(call)) return NULL;
  st_zone_status status = st_zones_get(zones, name->bytes, &zone);
  if (status == ST_ZONE_NOMEM)
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  else if (status != ST_ZONE_OK)
    st_fail(call, STELE_INVALID, "timezone", "timezone %s", st_zone_problem(status));
  return zone;
}

bool st_assistant_look(st_call *call, const st_value *timezone, const st_value *now, st_assistant_clock *out) {
  st_zones zones;
  st_zones_init(&zones, NULL);
  const st_zone *zone = st_assistant_zone(call, &zones, timezone);
  if (zone && st_assistant_time(now, &out->now)) {
    st_civil local = st_zone_local(zone, out->now, NULL);
    int year = (int)(local.date.year % 10000); /* a zone may be one day beyond the year 9999 */
    out->hour = local.hour;
    snprintf(out->today, sizeof out->today, "%04d-%02d-%02d", year, local.date.month, local.date.day);
  }
  st_zones_free(&zones);
  return st_ok(call);
}
