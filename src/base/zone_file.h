/* zone_file.h - what a TZif file says, and how it is read. */
#ifndef ST_ZONE_FILE_H
#define ST_ZONE_FILE_H

#include "base/zone.h"
#include "base/zone_rule.h"

#define ST_ZONE_NAME_MAX 64

struct st_zone {
  st_zone *next; /* of the same list */
  char name[ST_ZONE_NAME_MAX + 1];
  bool has_rule; /* for the time after the last change; without one its offset stays */
  st_zone_rule rule;
  int offsets[256];       /* of each kind of local time; the first is in force before the first change */
  size_t nchanges;
  const uint8_t *kinds;   /* which one each change brings */
  int64_t changes[];      /* epoch seconds, rising; kinds stand behind them */
};

/* The file of a zone.  The name has been checked. */
st_zone_status st_zone_file_load(const char *directory, const char *name, st_zone **out);

#endif
