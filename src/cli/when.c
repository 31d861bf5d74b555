/* when.c - see when.h. */
#include "when.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "table.h"
#include "text.h"

#define MINUTE 60.0
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* 90s, 15m, 36h, 7d, 2w: the time that long ago. */
static bool read_ago(const char *text, double *time) {
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {{"s", 1}, {"m", MINUTE}, {"h", HOUR}, {"d", DAY}, {"w", 7 * DAY}};
  char *end = NULL;
  double number = *text && strchr("0123456789.", *text) ? strtod(text, &end) : -1;
  for (size_t i = 0; end && number >= 0 && i < sizeof units / sizeof *units; i++) {
    if (strcmp(end, units[i].unit) != 0 || !isfinite(number)) continue;
    *time = fmax(now_seconds() - number * units[i].seconds, 0);
    return true;
  }
  return false;
}

/* Midnight, some days before the last one. */
static double midnight(int days_before) {
  time_t now = time(NULL);
  struct tm day;
  localtime_r(&now, &day);
  day.tm_sec = day.tm_min = day.tm_hour = 0;
  day.tm_mday -= days_before;
  day.tm_isdst = -1;
  return (double)mktime(&day);
}

static bool read_date(const char *text, double *time) {
  static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
                                      "%Y-%m-%dT%H:%M:%S"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    struct tm date = {.tm_isdst = -1};
    const char *end = strptime(text, forms[i], &date);
    if (!end || *end) continue;
    *time = (double)mktime(&date);
    return true;
  }
  return false;
}

/* A number of seconds, or RFC 3339 with its zone. */
static char *as_it_is(const char *text) {
  char *end = NULL;
  size_t digits = strspn(text, "0123456789");
  double number = digits ? strtod(text, &end) : NAN;
  if (end && !*end && isfinite(number) && text[strspn(text, "0123456789.")] == '\0') return text_format("%.6f", number);
  return digits == 4 && text[4] == '-' && strpbrk(text, "tT") ? text_quote(text) : NULL;
}

char *when_json(const char *text) {
  double time;
  if (strcmp(text, "now") == 0)
    time = now_seconds();
  else if (strcmp(text, "today") == 0 || strcmp(text, "yesterday") == 0)
    time = midnight(*text == 'y');
  else if (!read_ago(text, &time) && !read_date(text, &time))
    return as_it_is(text);
  return text_format("%.6f", time);
}

char *when_ago(double time) {
  double age = now_seconds() - time;
  if (age < 0 || age >= 7 * DAY) return table_time(time, "%Y-%m-%d %H:%M");
  if (age < MINUTE) return text_format("just now");
  if (age < HOUR) return text_format("%d min ago", (int)(age / MINUTE));
  if (age < DAY) return text_format("%d h ago", (int)(age / HOUR));
  return text_format("%d day%s ago", (int)(age / DAY), age < 2 * DAY ? "" : "s");
}
