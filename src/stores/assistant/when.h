/* when.h - times and time zones as the methods of this store take and tell them. */
#ifndef ST_ASSISTANT_WHEN_H
#define ST_ASSISTANT_WHEN_H

#include "base/zone.h"
#include "engine/call.h"

/* A time of this store; false: it is none, which only a row that another program wrote can be. */
bool st_assistant_time(const st_value *value, st_micros *out);

/* The same the other way, in the call's memory. */
st_value st_assistant_told_time(st_call *call, st_micros time);

/* The zone of an argument of type timezone; NULL when the call has failed. */
const st_zone *st_assistant_zone(st_call *call, st_zones *zones, const st_value *name);

/* What a clock and a calendar show at a moment. */
typedef struct st_assistant_clock {
  st_micros now;
  int hour;
  char today[16]; /* "2026-01-31" */
} st_assistant_clock;

/* Look at them, by arguments of type timezone and time; false when the call has failed. */
bool st_assistant_look(st_call *call, const st_value *timezone, const st_value *now, st_assistant_clock *out);

#endif
