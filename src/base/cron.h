/* cron.h - schedules in the five fields of cron, and when they fire in a time zone.
**
**   minute (0-59)  hour (0-23)  day of month (1-31)  month (1-12 or JAN-DEC)  day of week (0-7 or SUN-SAT)
**
** A field is a list of *, numbers and ranges a-b.  Each of them may have a step behind a slash, and a number that has
** one goes on to the end.  0 and 7 are both Sunday, also where a range ends (FRI-SUN).  @hourly, @daily, @midnight,
** @weekly, @monthly, @yearly and @annually stand for five fields.
**
** If both the day of month and the day of week are restricted, a day needs to fit only one of them; a field that
** begins with * is not restricted, and the day needs to fit both.
**
** Where clocks are changed: a schedule whose hour field begins with * (an interval) follows the clock; it has no
** slots in the time that is left out, and fires again in the time that comes twice.  Any other one (a time of day)
** fires as often as on every other day: slots in the time that is left out fire, once together, at the moment at
** which clocks are put forward, and those in the time that comes twice fire the first time. */
#ifndef ST_CRON_H
#define ST_CRON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"
#include "base/zone.h"

/* The values that each field takes, as bits. */
typedef struct st_cron {
  uint64_t minutes;
  uint64_t hours;
  uint64_t days;
  uint64_t months;
  uint64_t weekdays;    /* 0 to 6 from Sunday */
  bool follows_clock;   /* the hour field begins with * */
  bool either_day;      /* neither of the day fields begins with * */
} st_cron;

#define ST_CRON_WHY_MAX 160

/* False: why says what is wrong, and in which field. */
bool st_cron_parse(const char *text, size_t length, st_cron *out, char why[ST_CRON_WHY_MAX]);

/* The first time after a moment at which it fires; false: there is none before the year 10000. */
bool st_cron_next(const st_cron *cron, const st_zone *zone, st_micros after, st_micros *out);

/* The last time after a moment, and not after another, at which it fired; false: there is none. */
bool st_cron_last(const st_cron *cron, const st_zone *zone, st_micros after, st_micros until, st_micros *out);

#endif
