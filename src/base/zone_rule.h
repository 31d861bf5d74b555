/* zone_rule.h - the rule by which a zone goes on for ever: the TZ text of POSIX, with the additions of RFC 9636. */
#ifndef ST_ZONE_RULE_H
#define ST_ZONE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/zone.h"

/* A day of each year, and a time of that day. */
typedef struct st_zone_yearly {
  enum {
    ST_YEARLY_WEEKDAY, /* Mm.w.d: the w-th weekday d (0 is Sunday) of month m; the fifth is the last */
    ST_YEARLY_JULIAN,  /* Jn: day n from 1, February 29 never counted */
    ST_YEARLY_DAY      /* n: day n from 0, February 29 counted */
  } kind;
  int month;
  int week;
  int day;
  int time; /* seconds from midnight, up to 167 hours either way */
} st_zone_yearly;

typedef struct st_zone_rule {
  int standard; /* seconds ahead of UTC */
  int summer;   /* the same while summer time is kept */
  bool has_summer;
  st_zone_yearly begins; /* by clocks that show standard time */
  st_zone_yearly ends;   /* by clocks that show summer time */
} st_zone_rule;

/* "CET-1CEST,M3.5.0,M10.5.0/3".  False: it is none, or leaves out when summer time begins and ends. */
bool st_zone_rule_parse(const char *text, size_t length, st_zone_rule *out);

/* The stretch that a moment is in. */
st_zone_span st_zone_rule_span(const st_zone_rule *rule, int64_t seconds);

#endif
