/* when.c - see when.h. */
#include "when.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

/* ---- Lengths ---- */

/* The seconds of a unit: its letter, its short or its long name, of one or of several. */
static double unit_seconds(const char *name, size_t length) {
  static const struct {
    const char *names[4];
    double seconds;
  } units[] = {
      {{"s", "sec", "second", NULL}, 1},      {{"m", "min", "minute", NULL}, MINUTE},
      {{"h", "hr", "hour", NULL}, HOUR},      {{"d", "day", NULL, NULL}, DAY},
      {{"w", "week", NULL, NULL}, 7 * DAY},   {{"mo", "month", NULL, NULL}, 30 * DAY},
      {{"y", "year", NULL, NULL}, 365 * DAY},
  };
  size_t bare = length > 2 && tolower((unsigned char)name[length - 1]) == 's' ? length - 1 : length;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    for (const char *const *known = units[i].names; *known; known++)
      if ((strncasecmp(*known, name, length) == 0 && !(*known)[length]) ||
          (bare < length && strncasecmp(*known, name, bare) == 0 && strlen(*known) == bare))
        return units[i].seconds;
  return -1;
}

/* "36h", "3 hours": the seconds; *end: what stands behind it.  Below 0: it is none. */
static double read_length(const char *text, const char **end) {
  char *behind = NULL;
  double number = *text && strchr("0123456789.", *text) ? strtod(text, &behind) : -1;
  if (!behind || !isfinite(number) || strpbrk(text, "xX")) return -1;
  const char *unit = behind + strspn(behind, " ");
  size_t length = strspn(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  double seconds = length ? unit_seconds(unit, length) : -1;
  *end = unit + length + strspn(unit + length, " ");
  return seconds < 0 ? -1 : number * seconds;
}

double when_days(const char *text) {
  const char *end = NULL;
  double seconds = read_length(text, &end);
  if (seconds >= 0) return *end ? -1 : seconds / DAY;
  if (!*text || strspn(text, "0123456789.") != strlen(text)) return -1;
  return strtod(text, NULL);
}

/* A length before now, or after it. */
static bool read_distance(const char *text, bool ahead, double *time) {
  bool in = strncasecmp(text, "in ", 3) == 0;
  const char *end = NULL;
  double seconds = read_length(text + (in ? 3 : 0), &end);
  if (seconds < 0) return false;
  bool ago = strcasecmp(end, "ago") == 0;
  if ((*end && !ago) || (in && ago)) return false;
  *time = fmax(now_seconds() + (in || (ahead && !ago) ? seconds : -seconds), 0);
  return true;
}

/* ---- Days and times of a day ---- */

/* How many days before today the word means; *end: behind it.  False: it names no day. */
static bool read_day(const char *text, int *before, const char **end) {
  static const char *const weekdays[] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
  static const struct {
    const char *word;
    int before;
  } words[] = {{"today", 0}, {"yesterday", 1}, {"tomorrow", -1}};
  size_t length = strcspn(text, " ");
  time_t now = time(NULL);
  struct tm today;
  *end = text + length + strspn(text + length, " ");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].word) == length && strncasecmp(text, words[i].word, length) == 0) {
      *before = words[i].before;
      return true;
    }
  localtime_r(&now, &today);
  for (int i = 0; i < 7; i++)
    if ((length == 3 || length == strlen(weekdays[i])) && strncasecmp(text, weekdays[i], length) == 0) {
      *before = (today.tm_wday - i + 7) % 7;
      return true;
    }
  return false;
}

/* 18:30, 18:30:05, 6pm, 6:30pm */
static bool read_clock(const char *text, struct tm *day) {
  static const char *const forms[] = {"%H:%M", "%H:%M:%S", "%I%p", "%I:%M%p", "%I %p", "%I:%M %p"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    struct tm found = {0};
    const char *end = strptime(text, forms[i], &found);
    if (!end || *end) continue;
    day->tm_hour = found.tm_hour;
    day->tm_min = found.tm_min;
    day->tm_sec = found.tm_sec;
    return true;
  }
  return false;
}

static bool read_moment(const char *text, double *seconds) {
  const char *clock = text;
  int before = 0;
  bool named = read_day(text, &before, &clock);
  time_t now = time(NULL);
  struct tm day;
  if (!named) clock = text;
  localtime_r(&now, &day);
  day.tm_sec = day.tm_min = day.tm_hour = 0;
  if (!(named && !*clock) && !read_clock(clock, &day)) return false;
  day.tm_mday -= before;
  day.tm_isdst = -1;
  *seconds = (double)mktime(&day);
  return true;
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

bool when_rfc3339(const char *text, double *seconds) {
  struct tm at = {0}, zone = {0};
  const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &at);
  if (end && *end == '.') end += 1 + strspn(end + 1, "0123456789");
  if (end && *end != 'Z' && *end != '+' && *end != '-') end = NULL;
  if (end) end = strptime(end, "%z", &zone);
  if (!end || *end) return false;
  *seconds = (double)timegm(&at) - (double)zone.tm_gmtoff;
  return true;
}

/* A number of seconds, or RFC 3339 with its zone. */
static char *as_it_is(const char *text) {
  char *end = NULL;
  size_t digits = strspn(text, "0123456789");
  double number = digits ? strtod(text, &end) : NAN;
  if (end && !*end && isfinite(number) && text[strspn(text, "0123456789.")] == '\0') return text_format("%.6f", number);
  return digits == 4 && text[4] == '-' && strpbrk(text, "tT") ? text_quote(text) : NULL;
}

char *when_json(const char *text, bool ahead) {
  double time;
  if (strcasecmp(text, "now") == 0)
    time = now_seconds();
  else if (!read_distance(text, ahead, &time) && !read_moment(text, &time) && !read_date(text, &time))
    return as_it_is(text);
  return text_format("%.6f", time);
}

/* ---- For the eye ---- */

char *when_ago(double time) {
  double age = now_seconds() - table_seconds(time), distance = fabs(age);
  char *length = NULL;
  if (distance >= 7 * DAY) return table_time(time, "%Y-%m-%d %H:%M");
  if (distance < MINUTE) return text_format(age < -1 ? "in a moment" : "just now");
  if (distance < HOUR)
    length = text_format("%d min", (int)(distance / MINUTE));
  else if (distance < DAY)
    length = text_format("%d h", (int)(distance / HOUR));
  else
    length = text_format("%d day%s", (int)(distance / DAY), distance < 2 * DAY ? "" : "s");
  char *text = age < 0 ? text_format("in %s", length) : text_format("%s ago", length);
  free(length);
  return text;
}
