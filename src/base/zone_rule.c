/* zone_rule.c - the rule by which a zone goes on for ever. */
#include "base/zone_rule.h"

/* ---- Reading ---- */

typedef struct cursor {
  const char *at;
  const char *end;
} cursor;

static bool take(cursor *c, char wanted) {
  if (c->at == c->end || *c->at != wanted) return false;
  c->at++;
  return true;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool take_number(cursor *c, int low, int high, int *out) {
  const char *start = c->at;
  int value = 0;
  for (; c->at < c->end && is_digit(*c->at) && c->at - start < 4; c->at++) value = value * 10 + (*c->at - '0');
  *out = value;
  return c->at > start && value >= low && value <= high;
}

/* Three letters or more, or anything of the kind between < and >.  What a zone is called is not kept. */
static bool take_name(cursor *c) {
  bool quoted = take(c, '<');
  const char *start = c->at;
  while (c->at < c->end && (is_letter(*c->at) || (quoted && (is_digit(*c->at) || *c->at == '+' || *c->at == '-'))))
    c->at++;
  return c->at - start >= 3 && (!quoted || take(c, '>'));
}

/* [+-]hh[:mm[:ss]] as seconds. */
static bool take_time(cursor *c, int max_hours, int *out) {
  int hours, minutes = 0, seconds = 0;
  int sign = take(c, '-') ? -1 : 1;
  if (sign > 0) take(c, '+');
  if (!take_number(c, 0, max_hours, &hours)) return false;
  if (take(c, ':')) {
    if (!take_number(c, 0, 59, &minutes)) return false;
    if (take(c, ':') && !take_number(c, 0, 59, &seconds)) return false;
  }
  *out = sign * (hours * 3600 + minutes * 60 + seconds);
  return true;
}

/* POSIX counts westward. */
static bool take_offset(cursor *c, int *out) {
  if (!take_time(c, 24, out)) return false;
  *out = -*out;
  return true;
}

static bool take_day(cursor *c, st_zone_yearly *out) {
  if (take(c, 'M')) {
    out->kind = ST_YEARLY_WEEKDAY;
    return take_number(c, 1, 12, &out->month) && take(c, '.') && take_number(c, 1, 5, &out->week) && take(c, '.') &&
           take_number(c, 0, 6, &out->day);
  }
  if (take(c, 'J')) {
    out->kind = ST_YEARLY_JULIAN;
    return take_number(c, 1, 365, &out->day);
  }
  out->kind = ST_YEARLY_DAY;
  return take_number(c, 0, 365, &out->day);
}

static bool take_yearly(cursor *c, st_zone_yearly *out) {
  out->time = 2 * 3600;
  return take(c, ',') && take_day(c, out) && (!take(c, '/') || take_time(c, 167, &out->time));
}

bool st_zone_rule_parse(const char *text, size_t length, st_zone_rule *out) {
  if (length == 0) return false;
  cursor c = {text, text + length};
  *out = (st_zone_rule){0};
  if (!take_name(&c) || !take_offset(&c, &out->standard)) return false;
  if (c.at == c.end) return true;
  out->has_summer = true;
  out->summer = out->standard + 3600;
  if (!take_name(&c)) return false;
  if (c.at < c.end && *c.at != ',' && !take_offset(&c, &out->summer)) return false;
  return take_yearly(&c, &out->begins) && take_yearly(&c, &out->ends) && c.at == c.end;
}

/* ---- Applying ---- */

static int64_t day_of(const st_zone_yearly *yearly, int64_t year) {
  int64_t new_year = st_days_from_date((st_date){year, 1, 1});
  if (yearly->kind == ST_YEARLY_DAY) return new_year + yearly->day;
  if (yearly->kind == ST_YEARLY_JULIAN) {
    bool after_leap_day = yearly->day >= 60 && st_days_in_month(year, 2) == 29;
    return new_year + yearly->day - 1 + after_leap_day;
  }
  int64_t first = st_days_from_date((st_date){year, yearly->month, 1});
  int day = (yearly->day - st_weekday(first) + 7) % 7 + (yearly->week - 1) * 7;
  return first + (day < st_days_in_month(year, yearly->month) ? day : day - 7);
}

/* A change at that moment is the end of the span, or its start if none is nearer. */
static void narrow(st_zone_span *span, int64_t seconds, int64_t change, int offset) {
  if (change > seconds) {
    if (change < span->end) span->end = change;
  } else if (change >= span->start) {
    span->start = change;
    span->offset = offset;
  }
}

/* Times of day reach a week into the years around, so these are looked at too.  Where summer time ends at the
** very moment at which it begins anew, it never ends: the beginning comes last and wins. */
st_zone_span st_zone_rule_span(const st_zone_rule *rule, int64_t seconds) {
  st_zone_span span = {INT64_MIN, INT64_MAX, rule->standard};
  if (!rule->has_summer) return span;
  int64_t year = st_date_from_days(st_floor_div(seconds, ST_SECONDS_PER_DAY)).year;
  for (int64_t y = year - 2; y <= year + 2; y++) {
    int64_t ends = day_of(&rule->ends, y - 1) * ST_SECONDS_PER_DAY + rule->ends.time - rule->summer;
    int64_t begins = day_of(&rule->begins, y) * ST_SECONDS_PER_DAY + rule->begins.time - rule->standard;
    narrow(&span, seconds, ends, rule->standard);
    narrow(&span, seconds, begins, rule->summer);
  }
  return span;
}
