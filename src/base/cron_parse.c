/* cron_parse.c - the five fields of cron. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/calendar.h"
#include "base/cron.h"
#include "base/text.h"

typedef struct field {
  const char *name;
  int low;
  int high;
  const char *names; /* of three letters each, from the lowest value on; NULL: it has none */
} field;

enum { MINUTE, HOUR, DAY, MONTH, WEEKDAY, FIELDS };

static const field fields[FIELDS] = {
    [MINUTE] = {"minute", 0, 59, NULL},
    [HOUR] = {"hour", 0, 23, NULL},
    [DAY] = {"day of month", 1, 31, NULL},
    [MONTH] = {"month", 1, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"},
    [WEEKDAY] = {"day of week", 0, 7, "SUNMONTUEWEDTHUFRISAT"},
};

static bool is_space(char c) {
  return c == ' ' || c == '\t';
}

/* What is wrong, as a sentence; always false. */
static bool refuse(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(char *why, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why, ST_CRON_WHY_MAX, format, args);
  va_end(args);
  return false;
}

/* How much of a text is told in a message: its beginning, as long as that can be printed. */
static int shown(st_text text) {
  int length = 0;
  while (length < 20 && (size_t)length < text.length && text.bytes[length] > ' ' && text.bytes[length] <= '~') length++;
  return length;
}

/* The part before the mark; text becomes what is after it, or nothing (NULL bytes) if there is no mark. */
static st_text cut(st_text *text, char mark) {
  st_text part = *text;
  const char *at = memchr(text->bytes, mark, text->length);
  if (!at) {
    *text = (st_text){NULL, 0};
    return part;
  }
  part.length = (size_t)(at - text->bytes);
  *text = (st_text){at + 1, text->length - part.length - 1};
  return part;
}

/* Up to three digits; -1: it is no such number. */
static int number_of(st_text text) {
  int value = 0;
  if (text.length == 0 || text.length > 3) return -1;
  for (size_t i = 0; i < text.length; i++) {
    if (text.bytes[i] < '0' || text.bytes[i] > '9') return -1;
    value = value * 10 + (text.bytes[i] - '0');
  }
  return value;
}

static int name_of(const field *f, st_text text) {
  if (!f->names || text.length != 3) return -1;
  for (int i = 0; f->names[3 * i]; i++) {
    if (strncasecmp(f->names + 3 * i, text.bytes, 3) == 0) return f->low + i;
  }
  return -1;
}

static bool read_value(const field *f, st_text text, int *out, char *why) {
  int named = name_of(f, text);
  *out = named >= 0 ? named : number_of(text);
  if (*out >= f->low && *out <= f->high) return true;
  return refuse(why, "%s: \"%.*s\" is not a number from %d to %d%s", f->name, shown(text), text.bytes, f->low, f->high,
                f->names ? " or a name of three letters" : "");
}

/* a, a-b or *; *open: a step would go on from a to the end. */
static bool read_range(const field *f, st_text text, int *low, int *high, bool *open, char *why) {
  *open = false;
  if (text.length == 1 && text.bytes[0] == '*') {
    *low = f->low;
    *high = f->high;
    return true;
  }
  st_text whole = text, first = cut(&text, '-');
  if (!read_value(f, first, low, why)) return false;
  *high = *low;
  *open = !text.bytes;
  if (*open) return true;
  if (!read_value(f, text, high, why)) return false;
  if (f == &fields[WEEKDAY] && *high == 0 && *low > 0) *high = 7;
  if (*low <= *high) return true;
  return refuse(why, "%s: the range %.*s runs backwards", f->name, shown(whole), whole.bytes);
}

/* One of a list: a range, perhaps with a step. */
static bool read_part(const field *f, st_text text, uint64_t *bits, char *why) {
  int low, high, step = 1;
  bool open;
  st_text range = cut(&text, '/');
  if (!read_range(f, range, &low, &high, &open, why)) return false;
  if (text.bytes) {
    step = number_of(text);
    if (step < 1 || step > f->high) return refuse(why, "%s: a step is a number from 1 to %d", f->name, f->high);
    if (open) high = f->high;
  }
  for (int value = low; value <= high; value += step) *bits |= (uint64_t)1 << value;
  return true;
}

static bool read_field(const field *f, st_text text, uint64_t *bits, char *why) {
  *bits = 0;
  while (text.bytes) {
    st_text part = cut(&text, ',');
    if (part.length == 0) return refuse(why, "%s: a list has an empty place", f->name);
    if (!read_part(f, part, bits, why)) return false;
  }
  return true;
}

/* Cut a text at white space; how many parts it has, of which the first FIELDS are kept. */
static int split(st_text text, st_text parts[FIELDS]) {
  int count = 0;
  for (size_t i = 0; i < text.length;) {
    size_t start = i;
    while (i < text.length && !is_space(text.bytes[i])) i++;
    if (i > start && count++ < FIELDS) parts[count - 1] = (st_text){text.bytes + start, i - start};
    while (i < text.length && is_space(text.bytes[i])) i++;
  }
  return count;
}

static const char *short_form(st_text word) {
  static const char *const forms[][2] = {{"@hourly", "0 * * * *"},  {"@daily", "0 0 * * *"},   {"@midnight", "0 0 * * *"},
                                         {"@weekly", "0 0 * * 0"},  {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"},
                                         {"@annually", "0 0 1 1 *"}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (strlen(forms[i][0]) == word.length && strncasecmp(forms[i][0], word.bytes, word.length) == 0) return forms[i][1];
  }
  return NULL;
}

/* Some month that it names must have a day that it names, at least in leap years.  Weekdays are no hindrance: every
** date falls on every one of them in some year. */
static bool ever_fires(const st_cron *cron) {
  if (cron->either_day) return true;
  for (int month = 1; month <= 12; month++) {
    uint64_t there = ((uint64_t)2 << st_days_in_month(2000, month)) - 1;
    if (cron->months >> month & 1 && cron->days & there) return true;
  }
  return false;
}

static bool read_fields(const st_text parts[FIELDS], st_cron *out, char *why) {
  uint64_t *const bits[FIELDS] = {&out->minutes, &out->hours, &out->days, &out->months, &out->weekdays};
  for (int i = 0; i < FIELDS; i++)
    if (!read_field(&fields[i], parts[i], bits[i], why)) return false;
  if (out->weekdays >> 7 & 1) out->weekdays |= 1; /* Sunday */
  out->follows_clock = parts[HOUR].bytes[0] == '*';
  out->either_day = parts[DAY].bytes[0] != '*' && parts[WEEKDAY].bytes[0] != '*';
  return ever_fires(out) || refuse(why, "it never fires: no month that it names has such a day of month");
}

bool st_cron_parse(const char *text, size_t length, st_cron *out, char why[ST_CRON_WHY_MAX]) {
  st_text parts[FIELDS];
  int count = split((st_text){text, length}, parts);
  if (count == 1 && parts[0].bytes[0] == '@') {
    const char *form = short_form(parts[0]);
    if (!form)
      return refuse(why, "\"%.*s\" is not @hourly, @daily, @midnight, @weekly, @monthly, @yearly or @annually",
                    shown(parts[0]), parts[0].bytes);
    count = split(st_text_of(form), parts);
  }
  if (count != FIELDS)
    return refuse(why, "it has %d field%s, not five: minute, hour, day of month, month, day of week", count,
                  count == 1 ? "" : "s");
  return read_fields(parts, out, why);
}
