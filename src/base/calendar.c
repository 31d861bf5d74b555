/* calendar.c - days and dates.
**
** They are counted by the arithmetic of Howard Hinnant's chrono-compatible calendar algorithms: in years
** that begin in March, so that the leap day comes last, and in eras of 400 years, which all have the same
** number of days. */
#include "base/calendar.h"

#include <stdbool.h>

#define DAYS_TO_1970 719468 /* from 0000-03-01 */
#define THURSDAY 4          /* of 1970-01-01 */

static bool is_leap(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int st_days_in_month(int64_t year, int month) {
  static const char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

int st_weekday(int64_t days) {
  return (int)(((days + THURSDAY) % 7 + 7) % 7);
}

int64_t st_days_from_date(st_date date) {
  int64_t year = date.year - (date.month <= 2);
  int64_t era = st_floor_div(year, 400);
  int64_t year_of_era = year - era * 400;
  int64_t month_from_march = (date.month + 9) % 12;
  int64_t day_of_year = (153 * month_from_march + 2) / 5 + date.day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * ST_DAYS_PER_ERA + day_of_era - DAYS_TO_1970;
}

st_date st_date_from_days(int64_t days) {
  st_date date;
  days += DAYS_TO_1970;
  int64_t era = st_floor_div(days, ST_DAYS_PER_ERA);
  int64_t day_of_era = days - era * ST_DAYS_PER_ERA;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int month_from_march = (int)((5 * day_of_year + 2) / 153);
  date.day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  date.month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  date.year = year_of_era + era * 400 + (date.month <= 2);
  return date;
}

int64_t st_micros_from_civil(const st_civil *civil) {
  int64_t seconds = st_days_from_date(civil->date) * ST_SECONDS_PER_DAY;
  seconds += civil->hour * 3600 + civil->minute * 60 + civil->second;
  return seconds * ST_MICROS_PER_SECOND + civil->micros;
}

st_civil st_civil_from_micros(int64_t micros) {
  st_civil civil;
  int64_t seconds = st_floor_div(micros, ST_MICROS_PER_SECOND);
  int64_t days = st_floor_div(seconds, ST_SECONDS_PER_DAY);
  int second_of_day = (int)(seconds - days * ST_SECONDS_PER_DAY);
  civil.date = st_date_from_days(days);
  civil.hour = second_of_day / 3600;
  civil.minute = second_of_day / 60 % 60;
  civil.second = second_of_day % 60;
  civil.micros = (int)((micros % ST_MICROS_PER_SECOND + ST_MICROS_PER_SECOND) % ST_MICROS_PER_SECOND);
  return civil;
}
