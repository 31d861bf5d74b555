/* stats.h - what stele stats counts: the parts of it that its pictures are drawn from. */
#ifndef CLI_STATS_H
#define CLI_STATS_H

#include "../door/json.h"
#include "command.h"

typedef struct stats {
  cli *c;
  double since, until;                           /* seconds */
  const char *bucket;                            /* hour, day, week or month */
  int utc_offset;                                /* minutes */
  char *usage, *models, *sources, *top, *stores; /* replies of methods */
} stats;

/* For people: sums, lines over time, bars, tables. */
void stats_show(stats *s);

#endif
