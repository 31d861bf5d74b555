/* time.c - points in time and lengths of time.
**
** Dates are of the Gregorian calendar, also before its time, and are counted by the arithmetic of
** Howard Hinnant's chrono-compatible calendar algorithms: in years that begin in March, so that the
** leap day comes last, and in eras of 400 years, which all have the same number of days. */
#include "base/time.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/number.h"

#define MICROS_PER_SECOND 1000000
#define SECONDS_PER_DAY 86400
#define DAYS_PER_ERA 146097
#define DAYS_TO_1970 719468 /* from 0000-03-01 */

typedef struct civil {
  int64_t year;
  int month; /* 1 to 12 */
  int day;   /* 1 to 31 */
  int hour;
  int minute;
  int second;
  int micros;
} civil;

st_micros st_time_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (st_micros)now.tv_sec * MICROS_PER_SECOND + now.tv_nsec / 1000;
}

int64_t st_monotonic_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ----------------------------------------------------------------------------------- calendar */

/* Rounded down, where C rounds toward zero. */
static int64_t floor_div(int64_t value, int64_t by) {
  return value / by - (value % by < 0);
}

static bool is_leap(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int64_t year, int month) {
  static const char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

static int64_t days_from_civil(int64_t year, int month, int day) {
  year -= month <= 2;
  int64_t era = floor_div(year, 400);
  int64_t year_of_era = year - era * 400;
  int64_t month_from_march = (month + 9) % 12;
  int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * DAYS_PER_ERA + day_of_era - DAYS_TO_1970;
}

static void civil_from_days(int64_t days, civil *out) {
  days += DAYS_TO_1970;
  int64_t era = floor_div(days, DAYS_PER_ERA);
  int64_t day_of_era = days - era * DAYS_PER_ERA;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int month_from_march = (int)((5 * day_of_year + 2) / 153);
  out->day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  out->month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  out->year = year_of_era + era * 400 + (out->month <= 2);
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

static bool take_date(cursor *c, civil *out) {
  int year;
  if (!take_number(c, 4, 0, 9999, &year) || !take_any(c, "-")) return false;
  if (!take_number(c, 2, 1, 12, &out->month) || !take_any(c, "-")) return false;
  out->year = year;
  return take_number(c, 2, 1, days_in_month(year, out->month), &out->day);
}

/* The digits after the point; what is finer than a microsecond is dropped. */
static bool take_fraction(cursor *c, int *micros) {
  int unit = MICROS_PER_SECOND / 10;
  const char *start = c->at;
  for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
    *micros += (*c->at - '0') * unit;
    unit /= 10;
  }
  return c->at > start;
}

static bool take_clock(cursor *c, civil *out) {
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
  civil t = {0};
  int offset = 0;
  if (!take_date(&c, &t)) return false;
  if (c.at < c.end) {
    if (!take_any(&c, "Tt ") || !take_clock(&c, &t) || !take_zone(&c, &offset)) return false;
    if (c.at < c.end) return false;
  }
  int64_t seconds = days_from_civil(t.year, t.month, t.day) * SECONDS_PER_DAY;
  seconds += t.hour * 3600 + t.minute * 60 + t.second - offset;
  *out = seconds * MICROS_PER_SECOND + t.micros;
  return true;
}

/* ------------------------------------------------------------------------------------ writing */

static bool to_civil(st_micros time, civil *out) {
  int64_t seconds = floor_div(time, MICROS_PER_SECOND);
  int64_t days = floor_div(seconds, SECONDS_PER_DAY);
  int second_of_day = (int)(seconds - days * SECONDS_PER_DAY);
  civil_from_days(days, out);
  out->hour = second_of_day / 3600;
  out->minute = second_of_day / 60 % 60;
  out->second = second_of_day % 60;
  out->micros = (int)(time % MICROS_PER_SECOND);
  if (out->micros < 0) out->micros += MICROS_PER_SECOND;
  return out->year >= 0 && out->year <= 9999;
}

/* Write value in width digits; returns where the next goes. */
static char *put_digits(char *at, int value, int width) {
  for (int i = width - 1; i >= 0; i--, value /= 10) at[i] = (char)('0' + value % 10);
  return at + width;
}

/* "2025-11-15", the letter between, "09:46:40"; NULL if the year has no four digits. */
static char *put_date_time(st_micros time, char between, char *out, int *micros) {
  static const char marks[] = "--?::";
  civil t;
  *out = '\0';
  if (!to_civil(time, &t)) return NULL;
  const int parts[] = {t.month, t.day, t.hour, t.minute, t.second};
  char *at = put_digits(out, (int)t.year, 4);
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
