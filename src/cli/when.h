/* when.h - times as people say them and read them. */
#ifndef CLI_WHEN_H
#define CLI_WHEN_H

/* A time as JSON for a method, in new memory, or NULL if it is none:
**   90s, 15m, 36h, 7d, 2w                that long ago
**   now, today, yesterday                the last two from midnight on, as the others in local time
**   2026-01-31, "2026-01-31 18:30[:05]"
**   1769880600, 2026-01-31T18:30:00Z     as they are; the method checks them */
char *when_json(const char *text);

/* Seconds since 1970 for the eye, in new memory: "5 min ago"; after a week the date, in local time. */
char *when_ago(double time);

#endif
