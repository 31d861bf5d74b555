/* time.h - points in time and lengths of time, from and to the forms that the stores keep. */
#ifndef ST_TIME_H
#define ST_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a store keeps a time. */
typedef enum st_time_form {
  ST_TIME_SECONDS, /* REAL, epoch seconds:             1763200000.25                  */
  ST_TIME_MILLIS,  /* INTEGER, epoch milliseconds:     1763200000250                  */
  ST_TIME_ISO,     /* TEXT, UTC, fixed width:          2025-11-15T09:46:40.250000+00:00 */
  ST_TIME_SQL      /* TEXT, UTC:                       2025-11-15 09:46:40            */
} st_time_form;

/* Microseconds since 1970-01-01T00:00:00Z. */
typedef int64_t st_micros;

st_micros st_time_now(void);
int64_t st_monotonic_ms(void);

/* RFC 3339, with a space allowed for the T, a comma for the point, a missing zone meaning UTC, a
** missing time of day meaning midnight, +0530 or +05 for +05:30 or +05:00; leap seconds are read as
** second 59, and what is finer than a microsecond is dropped.  False: it is none. */
bool st_time_parse(const char *text, size_t length, st_micros *out);

/* Write the ISO or SQL form, or the short RFC 3339 form "2025-11-15T09:46:40Z".  Years 0 to 9999;
** false outside. */
#define ST_TIME_MAX 40
bool st_time_iso(st_micros time, char out[ST_TIME_MAX]);
bool st_time_sql(st_micros time, char out[ST_TIME_MAX]);
bool st_time_rfc3339(st_micros time, char out[ST_TIME_MAX]);

/* "90", "1.5h", "90s", "15m", "36h", "7d", "2w", "250ms" to seconds.  False: it is none, or negative. */
bool st_duration_parse(const char *text, size_t length, double *seconds);

#endif
