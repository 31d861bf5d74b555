/* zone.c - time zones: finding them, and going from UTC to local time and back. */
#include "base/zone.h"

#include <string.h>

#include "base/alloc.h"
#include "base/zone_file.h"

#define SYSTEM_DIRECTORY "/usr/share/zoneinfo"
#define OFFSET_BOUND (27 * 3600) /* more than any offset, either way */

const char *st_zone_problem(st_zone_status status) {
  switch (status) {
    case ST_ZONE_OK: return "is a time zone";
    case ST_ZONE_UNKNOWN: return "is not a time zone: give an IANA name like Europe/Berlin, or UTC";
    case ST_ZONE_NO_DATA: return "cannot be looked up: this system has no time zones (package tzdata), only UTC";
    case ST_ZONE_DAMAGED: return "cannot be used: its file is damaged, unreadable or counts leap seconds";
    case ST_ZONE_NOMEM: break;
  }
  return "cannot be read: out of memory";
}

/* ---- Finding ---- */

void st_zones_init(st_zones *zones, const char *directory) {
  *zones = (st_zones){directory ? directory : SYSTEM_DIRECTORY, NULL};
}

void st_zones_free(st_zones *zones) {
  while (zones->first) {
    st_zone *next = zones->first->next;
    st_zone_free(zones->first);
    zones->first = next;
  }
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Parts between slashes that begin with a letter and have only letters, digits, _, + and -: it cannot leave
** the directory, nor name what is no zone there, "zone.tab". */
static bool is_name(const char *name) {
  bool begins = true;
  if (strlen(name) > ST_ZONE_NAME_MAX) return false;
  for (; *name; name++) {
    bool inside = (*name >= '0' && *name <= '9') || *name == '_' || *name == '+' || *name == '-';
    if (*name == '/' ? begins : !is_letter(*name) && (begins || !inside)) return false;
    begins = *name == '/';
  }
  return !begins;
}

static st_zone_status load(const char *directory, const char *name, st_zone **out) {
  if (strcmp(name, "UTC") != 0) return st_zone_file_load(directory, name, out);
  *out = st_alloc_zero(sizeof **out); /* no change, and the first offset is zero */
  return *out ? ST_ZONE_OK : ST_ZONE_NOMEM;
}

st_zone_status st_zones_get(st_zones *zones, const char *name, const st_zone **out) {
  st_zone *zone = zones->first;
  *out = NULL;
  if (!is_name(name)) return ST_ZONE_UNKNOWN;
  while (zone && strcmp(zone->name, name) != 0) zone = zone->next;
  if (!zone) {
    st_zone_status status = load(zones->directory, name, &zone);
    if (status != ST_ZONE_OK) return status;
    strcpy(zone->name, name);
    zone->next = zones->first;
    zones->first = zone;
  }
  *out = zone;
  return ST_ZONE_OK;
}

/* ---- From UTC to local time ---- */

/* How many changes were at that moment or before. */
static size_t changes_until(const st_zone *zone, int64_t seconds) {
  size_t low = 0, high = zone->nchanges;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (zone->changes[middle] <= seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

st_zone_span st_zone_span_at(const st_zone *zone, int64_t seconds) {
  size_t past = changes_until(zone, seconds);
  st_zone_span span = {INT64_MIN, INT64_MAX, zone->offsets[past ? zone->kinds[past - 1] : 0]};
  bool by_rule = past == zone->nchanges && zone->has_rule;
  if (by_rule) span = st_zone_rule_span(&zone->rule, seconds);
  if (past > 0 && zone->changes[past - 1] > span.start) span.start = zone->changes[past - 1];
  if (past < zone->nchanges) span.end = zone->changes[past];
  return span;
}

st_civil st_zone_local(const st_zone *zone, st_micros time, int *offset) {
  int ahead = st_zone_span_at(zone, st_floor_div(time, ST_MICROS_PER_SECOND)).offset;
  if (offset) *offset = ahead;
  return st_civil_from_micros(time + ahead * ST_MICROS_PER_SECOND);
}

/* ---- From local time to UTC ---- */

/* Clocks show it in every span in which it falls, seen with that span's offset.  If it falls in none, one ends
** before it and the next begins after it. */
st_zone_kind st_zone_time(const st_zone *zone, const st_civil *local, st_micros *earlier, st_micros *later) {
  st_micros shown = st_micros_from_civil(local);
  int64_t seconds = st_floor_div(shown, ST_MICROS_PER_SECOND);
  int64_t gap = 0, first = 0, last = 0;
  int times = 0;
  st_zone_span span = st_zone_span_at(zone, seconds - OFFSET_BOUND);
  for (;;) {
    int64_t moment = seconds - span.offset;
    if (moment >= span.start && moment < span.end) {
      if (times++ == 0) first = moment;
      last = moment;
    }
    if (span.end > seconds + OFFSET_BOUND) break;
    if (moment >= span.end) gap = span.end;
    span = st_zone_span_at(zone, span.end);
  }
  if (times == 0) first = last = gap;
  int64_t fraction = times ? local->micros : 0;
  *earlier = first * ST_MICROS_PER_SECOND + fraction;
  if (later) *later = last * ST_MICROS_PER_SECOND + fraction;
  return times == 0 ? ST_ZONE_GAP : times == 1 ? ST_ZONE_ONCE : ST_ZONE_FOLD;
}

st_micros st_zone_day_start(const st_zone *zone, st_date date) {
  st_micros start;
  st_civil midnight = {.date = date};
  st_zone_time(zone, &midnight, &start, NULL);
  return start;
}

void st_zone_day(const st_zone *zone, st_micros time, st_micros *start, st_micros *end) {
  st_date today = st_zone_local(zone, time, NULL).date;
  *start = st_zone_day_start(zone, today);
  *end = st_zone_day_start(zone, st_date_from_days(st_days_from_date(today) + 1));
}
