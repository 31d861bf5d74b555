/* time.c - points in time and lengths of time. */
#include "base/time.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/calendar.h"
#include "base/number.h"

st_micros st_time_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (st_micros)now.tv_sec * ST_MICROS_PER_SECOND + now.tv_nsec / 1000;
}

int64_t st_monotonic_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ------------------------------------------------------------------------------------ reading */

typedef struct cursor {
  const char *at;
  const char *end;
} cursor;

/* Exactly count digits, as a number from low to high. */
static bool take_number(cursor *c, int count, int low, int high, int *out) {
  int value = 0;
  if (c->end - c->at < count) return false;
  for (int i = 0; i < count; i++) {
    if (c->at[i] < '0' || c->at[i] > '9') return false;
    value = value * 10 + (c->at[i] - '0');
  }
  c->at += count;
  *out = value;
  return value >= low && value <= high;
}

static bool take_any(cursor *c, const char *allowed) {
  if (c->at == c->end || *c->at == '\0' || !strchr(allowed, *c->at)) return false;
  c->at++;
  return true;
}

static bool take_date(cursor *c, st_date *out) {
  int year;
  if (!take_number(c, 4, 0, 9999, &year) || !take_any(c, "-")) return false;
  if (!take_number(c, 2, 1, 12, &out->month) || !take_any(c, "-")) return false;
  out->year = year;
  return take_number(c, 2, 1, st_days_in_month(year, out->month), &out->day);
}

/* The digits after the point; what is finer than a microsecond is dropped. */
static bool take_fraction(cursor *c, int *micros) {
  int unit = (int)ST_MICROS_PER_SECOND / 10;
  const char *start = c->at;
  for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
    *micros += (*c->at - '0') * unit;
    unit /= 10;
  }
  return c->at > start;
}

static bool take_clock(cursor *c, st_civil *out) {
  if (!take_number(c, 2, 0, 23, &out->hour) || !take_any(c, ":")) return false;
  if (!take_number(c, 2, 0, 59, &out->minute) || !take_any(c, ":")) return false;
  if (!take_number(c, 2, 0, 60, &out->second)) return false;
  if (out->second == 60) out->second = 59; /* a leap second, which epoch time does not have */
  return !take_any(c, ".,") || take_fraction(c, &out->micros);
}

/* Z, +05:30, +0530, +05 or nothing, as seconds east of UTC. */
static bool take_zone(cursor *c, int *offset) {
  int hours = 0;
  int minutes = 0;
  *offset = 0;
  if (c->at == c->end || take_any(c, "Zz")) return true;
  int sign = *c->at == '-' ? -1 : 1;
  if (!take_any(c, "+-") || !take_number(c, 2, 0, 23, &hours)) return false;
  bool colon = take_any(c, ":");
  if ((colon || c->at < c->end) && !take_number(c, 2, 0, 59, &minutes)) return false;
  *offset = sign * (hours * 3600 + minutes * 60);
  return true;
}

bool st_time_parse(const char *text, size_t length, st_micros *out) {
  if (length == 0) return false;
  cursor c = {text, text + length};
  st_civil t = {0};
  int offset = 0;
  if (!take_date(&c, &t.date)) return false;
  if (c.at < c.end) {
    if (!take_any(&c, "Tt ") || !take_clock(&c, &t) || !take_zone(&c, &offset)) return false;
    if (c.at < c.end) return false;
  }
  *out = st_micros_from_civil(&t) - offset * ST_MICROS_PER_SECOND;
  return true;
}

/* ------------------------------------------------------------------------------------ writing */

/* Write value in width digits; returns where the next goes. */
static char *put_digits(char *at, int value, int width) {
  for (int i = width - 1; i >= 0; i--, value /= 10) at[i] = (char)('0' + value % 10);
  return at + width;
}

/* "2025-11-15", the letter between, "09:46:40"; NULL if the year has no four digits. */
static char *put_date_time(st_micros time, char between, char *out, int *micros) {
  static const char marks[] = "--?::";
  st_civil t = st_civil_from_micros(time);
  *out = '\0';
  if (t.date.year < 0 || t.date.year > 9999) return NULL;
  const int parts[] = {t.date.month, t.date.day, t.hour, t.minute, t.second};
  char *at = put_digits(out, (int)t.date.year, 4);
  for (int i = 0; i < 5; i++) {
    *at++ = marks[i] == '?' ? between : marks[i];
    at = put_digits(at, parts[i], 2);
  }
  *micros = t.micros;
  return at;
}

bool st_time_iso(st_micros time, char out[ST_TIME_MAX]) {
  int micros;
  char *at = put_date_time(time, 'T', out, &micros);
  if (!at) return false;
  *at++ = '.';
  at = put_digits(at, micros, 6);
  memcpy(at, "+00:00", sizeof "+00:00");
  return true;
}

bool st_time_sql(st_micros time, char out[ST_TIME_MAX]) {
  int micros;
  char *at = put_date_time(time, ' ', out, &micros);
  if (!at) return false;
  *at = '\0';
  return true;
}

bool st_time_rfc3339(st_micros time, char out[ST_TIME_MAX]) {
  int micros;
  char *at = put_date_time(time, 'T', out, &micros);
  if (!at) return false;
  memcpy(at, "Z", sizeof "Z");
  return true;
}

/* ---------------------------------------------------------------------------------- durations */

/* A unit is times seconds, or a second has per of it: both whole, so that "9ms" is 0.009 exactly. */
typedef struct unit {
  const char *name;
  double times;
  double per;
} unit;

static const unit *find_unit(const char *name, size_t length) {
  static const unit units[] = {{"", 1, 1},      {"ms", 1, 1000}, {"s", 1, 1},     {"m", 60, 1},
                               {"h", 3600, 1}, {"d", 86400, 1}, {"w", 604800, 1}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0) return &units[i];
  }
  return NULL;
}

bool st_duration_parse(const char *text, size_t length, double *seconds) {
  size_t digits = 0;
  double count;
  while (digits < length && ((text[digits] >= '0' && text[digits] <= '9') || text[digits] == '.')) digits++;
  if (digits == 0 || !st_parse_real(text, digits, &count)) return false;
  const unit *found = find_unit(text + digits, length - digits);
  if (!found || !isfinite(count * found->times)) return false;
  *seconds = count * found->times / found->per;
  return true;
}
