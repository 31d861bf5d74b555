/* cron.c - when schedules fire.
**
** Time is gone through in stretches in which clocks keep one distance from UTC.  In each, local time runs evenly, and
** the slots are found by stepping over months and days; only where one stretch meets the next does it matter that
** clocks are put forward or back. */
#include "base/cron.h"

#include "base/calendar.h"

#define YEAR_10000 253402300800 /* epoch seconds */
#define ERA ((int64_t)ST_DAYS_PER_ERA * ST_SECONDS_PER_DAY) /* what does not fire in one never does */

/* ---- Slots in time that runs evenly ---- */

static bool has(uint64_t bits, int value) {
  return bits >> value & 1;
}

/* The first value from low on; -1: there is none. */
static int first_from(uint64_t bits, int low) {
  uint64_t rest = low < 64 ? bits >> low << low : 0;
  return rest ? __builtin_ctzll(rest) : -1;
}

/* The last value up to high; -1: there is none. */
static int last_to(uint64_t bits, int high) {
  uint64_t rest = high < 0 ? 0 : bits & (UINT64_MAX >> (63 - high));
  return rest ? 63 - __builtin_clzll(rest) : -1;
}

static bool day_fits(const st_cron *cron, st_date date, int64_t day) {
  bool by_date = has(cron->days, date.day), by_weekday = has(cron->weekdays, st_weekday(day));
  return cron->either_day ? by_date || by_weekday : by_date && by_weekday;
}

/* The first slot of a day from its minute on, as minutes of the day; -1: there is none. */
static int first_of_day(const st_cron *cron, int minute) {
  int hour = first_from(cron->hours, minute / 60);
  if (hour == minute / 60) {
    int in_hour = first_from(cron->minutes, minute % 60);
    if (in_hour >= 0) return hour * 60 + in_hour;
    hour = first_from(cron->hours, hour + 1);
  }
  return hour < 0 ? -1 : hour * 60 + first_from(cron->minutes, 0);
}

/* The last slot of a day up to its minute. */
static int last_of_day(const st_cron *cron, int minute) {
  int hour = last_to(cron->hours, minute / 60);
  if (hour == minute / 60) {
    int in_hour = last_to(cron->minutes, minute % 60);
    if (in_hour >= 0) return hour * 60 + in_hour;
    hour = last_to(cron->hours, hour - 1);
  }
  return hour < 0 ? -1 : hour * 60 + last_to(cron->minutes, 59);
}

/* The first slot from low on, but before high; all in seconds of local time. */
static bool first_slot(const st_cron *cron, int64_t low, int64_t high, int64_t *out) {
  int64_t minute = st_floor_div(low + 59, 60), day = st_floor_div(minute, 1440);
  int from = (int)(minute - day * 1440);
  for (; day * ST_SECONDS_PER_DAY < high; from = 0) {
    st_date date = st_date_from_days(day);
    if (!has(cron->months, date.month)) {
      day += st_days_in_month(date.year, date.month) - date.day + 1;
      continue;
    }
    int slot = day_fits(cron, date, day) ? first_of_day(cron, from) : -1;
    *out = day * ST_SECONDS_PER_DAY + slot * 60;
    if (slot >= 0) return *out < high;
    day++;
  }
  return false;
}

/* The last slot before high, but not before low. */
static bool last_slot(const st_cron *cron, int64_t low, int64_t high, int64_t *out) {
  int64_t minute = st_floor_div(high - 1, 60), day = st_floor_div(minute, 1440);
  int until = (int)(minute - day * 1440);
  for (; (day + 1) * ST_SECONDS_PER_DAY > low; until = 1439) {
    st_date date = st_date_from_days(day);
    if (!has(cron->months, date.month)) {
      day -= date.day;
      continue;
    }
    int slot = day_fits(cron, date, day) ? last_of_day(cron, until) : -1;
    *out = day * ST_SECONDS_PER_DAY + slot * 60;
    if (slot >= 0) return *out >= low;
    day--;
  }
  return false;
}

/* ---- Where clocks are changed ---- */

/* A stretch of time with even clocks, and the offset of the one before it. */
typedef struct stretch {
  st_zone_span span;
  int before;
} stretch;

static stretch stretch_at(const st_zone *zone, int64_t seconds) {
  stretch s = {st_zone_span_at(zone, seconds), 0};
  s.before = s.span.start == INT64_MIN ? s.span.offset : st_zone_span_at(zone, s.span.start - 1).offset;
  return s;
}

/* Does the stretch begin with what was left out when clocks were put forward? */
static bool makes_up(const st_cron *cron, const stretch *s) {
  int64_t slot;
  if (cron->follows_clock || s->before >= s->span.offset) return false;
  return first_slot(cron, s->span.start + s->before, s->span.start + s->span.offset, &slot);
}

/* The first moment of a stretch, from a given one on, at which a local time is not one that was there before. */
static int64_t fresh_from(const st_cron *cron, const stretch *s, int64_t from) {
  if (cron->follows_clock || s->before <= s->span.offset) return from;
  int64_t fresh = s->span.start + s->before - s->span.offset;
  return fresh > from ? fresh : from;
}

bool st_cron_next(const st_cron *cron, const st_zone *zone, st_micros after, st_micros *out) {
  int64_t from = st_floor_div(after, ST_MICROS_PER_SECOND) + 1, slot;
  int64_t limit = from + ERA < YEAR_10000 ? from + ERA : YEAR_10000;
  while (from < limit) {
    stretch s = stretch_at(zone, from);
    int64_t end = s.span.end < limit ? s.span.end : limit;
    if (from == s.span.start && makes_up(cron, &s)) {
      *out = from * ST_MICROS_PER_SECOND;
      return true;
    }
    if (first_slot(cron, fresh_from(cron, &s, from) + s.span.offset, end + s.span.offset, &slot)) {
      *out = (slot - s.span.offset) * ST_MICROS_PER_SECOND;
      return true;
    }
    from = end;
  }
  return false;
}

bool st_cron_last(const st_cron *cron, const st_zone *zone, st_micros after, st_micros until, st_micros *out) {
  int64_t from = st_floor_div(after, ST_MICROS_PER_SECOND) + 1, slot;
  int64_t end = st_floor_div(until, ST_MICROS_PER_SECOND) + 1;
  while (end > from) {
    stretch s = stretch_at(zone, end - 1);
    int64_t start = s.span.start > from ? s.span.start : from;
    if (last_slot(cron, fresh_from(cron, &s, start) + s.span.offset, end + s.span.offset, &slot)) {
      *out = (slot - s.span.offset) * ST_MICROS_PER_SECOND;
      return true;
    }
    if (start == s.span.start && makes_up(cron, &s)) {
      *out = start * ST_MICROS_PER_SECOND;
      return true;
    }
    end = start;
  }
  return false;
}
