/* zone.h - time zones: what clocks show at a place, by the names and rules of the IANA database.
**
** Zones are read from the system's TZif files (RFC 9636) and follow the rule at a file's end for the time
** after it.  A zone does not change once it is read, so that threads may share it; the list of those that
** were read belongs to whoever made it.  It is meant for one piece of work: the next one sees what the
** system's files say then. */
#ifndef ST_ZONE_H
#define ST_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/calendar.h"
#include "base/time.h"

typedef struct st_zone st_zone;

typedef enum st_zone_status {
  ST_ZONE_OK,
  ST_ZONE_UNKNOWN, /* no zone has that name */
  ST_ZONE_NO_DATA, /* this system has no zones but UTC */
  ST_ZONE_DAMAGED, /* its file cannot be read, is no TZif file, or counts leap seconds */
  ST_ZONE_NOMEM
} st_zone_status;

/* What is wrong with a zone of that name, to be put after the name: "is not a time zone; ...". */
const char *st_zone_problem(st_zone_status status);

/* ---- Finding zones ---- */

/* Zones that were read, each once. */
typedef struct st_zones {
  const char *directory;
  st_zone *first;
} st_zones;

/* directory: where the files are, NULL for the system's.  It must live on. */
void st_zones_init(st_zones *zones, const char *directory);
void st_zones_free(st_zones *zones);

/* The zone of a name: "Europe/Berlin".  "UTC" needs no file.  It lives until the list is freed. */
st_zone_status st_zones_get(st_zones *zones, const char *name, const st_zone **out);

/* A zone from the bytes of a TZif file, for st_zone_free(). */
st_zone_status st_zone_read(const void *bytes, size_t length, st_zone **out);
void st_zone_free(st_zone *zone);

/* ---- From UTC to local time ---- */

/* What clocks show.  *offset, unless NULL: seconds that they are ahead of UTC. */
st_civil st_zone_local(const st_zone *zone, st_micros time, int *offset);

/* A stretch of time in which clocks keep one distance from UTC: epoch seconds, from start up to, but not
** including, end.  INT64_MIN and INT64_MAX: it has none. */
typedef struct st_zone_span {
  int64_t start;
  int64_t end;
  int offset; /* seconds ahead of UTC */
} st_zone_span;

/* The stretch that a moment, in epoch seconds, is in. */
st_zone_span st_zone_span_at(const st_zone *zone, int64_t seconds);

/* ---- From local time to UTC ---- */

typedef enum st_zone_kind {
  ST_ZONE_ONCE, /* clocks show it once */
  ST_ZONE_GAP,  /* clocks are put forward over it: both moments are the one at which that happens */
  ST_ZONE_FOLD  /* clocks are put back and show it twice: earlier, then later */
} st_zone_kind;

/* When clocks show a local time of the years 0 to 9999.  later may be NULL. */
st_zone_kind st_zone_time(const st_zone *zone, const st_civil *local, st_micros *earlier, st_micros *later);

/* The first moment of a local day; that of the next one, if clocks are put forward over all of it. */
st_micros st_zone_day_start(const st_zone *zone, st_date date);

/* The local day that a moment is in: from *start up to, but not including, *end. */
void st_zone_day(const st_zone *zone, st_micros time, st_micros *start, st_micros *end);

#endif
