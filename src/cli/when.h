/* when.h - times as people say them and read them. */
#ifndef CLI_WHEN_H
#define CLI_WHEN_H

#include <stdbool.h>

/* A time as JSON for a method, in new memory, or NULL if it is none:
**   90s, 15m, 36h, 7d, 2w, 3mo, 1y, "3 hours ago"    that long ago; "in 3 days": ahead
**   now; today, yesterday, tomorrow, monday           days from midnight on; a weekday: the last one
**   18:30, 6pm, "yesterday 18:30"                     a time of a day, or of today
**   2026-01-31, "2026-01-31 18:30[:05]"               these and the ones above in local time
**   1769880600, 2026-01-31T18:30:00Z                  as they are; the method checks them
** ahead: a length of time is meant from now on, as of something that is to end. */
char *when_json(const char *text, bool ahead);

/* 2026-01-31T18:30:00Z, with any zone: the whole seconds since 1970.  False: it is something else. */
bool when_rfc3339(const char *text, double *seconds);

/* A length of time in days: 90d, "3 months"; a bare number is days.  Below 0: it is none. */
double when_days(const char *text);

/* Seconds since 1970 for the eye, in new memory: "5 min ago"; after a week the date, in local time. */
char *when_ago(double time);

#endif
