/* calendar.h - days and dates of the Gregorian calendar, also before its time. */
#ifndef ST_CALENDAR_H
#define ST_CALENDAR_H

#include <stdint.h>

#define ST_MICROS_PER_SECOND ((int64_t)1000000)
#define ST_SECONDS_PER_DAY 86400
#define ST_DAYS_PER_ERA 146097 /* of 400 years, after which dates and weekdays repeat */

typedef struct st_date {
  int64_t year;
  int month; /* 1 to 12 */
  int day;   /* 1 to 31 */
} st_date;

/* What a calendar and a clock show. */
typedef struct st_civil {
  st_date date;
  int hour;
  int minute;
  int second;
  int micros;
} st_civil;

/* Days are counted from 1970-01-01, which is day 0. */
int64_t st_days_from_date(st_date date);
st_date st_date_from_days(int64_t days);

int st_days_in_month(int64_t year, int month);
int st_weekday(int64_t days); /* 0 to 6 from Sunday */

/* As if they stood in Greenwich: microseconds from 1970-01-01T00:00:00.  Years up to 200,000 either way. */
int64_t st_micros_from_civil(const st_civil *civil);
st_civil st_civil_from_micros(int64_t micros);

/* Rounded down, where C rounds toward zero.  by is positive. */
static inline int64_t st_floor_div(int64_t value, int64_t by) {
  return value / by - (value % by < 0);
}

#endif
