/* table.h - rows of a method as a table for people: local times, readable sizes, as wide as the
** terminal at most; with --plain for programs: exact values, nothing cut. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stddef.h>

#include "output.h"
#include "request.h"

#define COLUMN_BYTES 1u  /* a size: 1.2 MB */
#define COLUMN_IF_ANY 2u /* left out when it is null in every row */
#define COLUMN_WHOLE 4u  /* never cut */
#define COLUMN_AGO 8u    /* a time: 5 min ago */
#define COLUMN_COUNT 16u /* a number that may be large: 1.2 M */
#define COLUMN_MONEY 32u /* dollars */
/* Where a terminal is narrow, the column with the highest rank is left out first; 0: never. */
#define COLUMN_RANK(n) ((unsigned)(n) << 8)

/* One column: a result of the method under a heading; of "a|b", b where a is null.  A list of them ends
** with a NULL result. */
typedef struct column {
  const char *result;
  const char *heading;
  unsigned flags;
} column;

/* Step to the end and print the rows, or nothing when there are none.
** Returns STELE_DONE, or the error of a step.  *count: how many there were. */
stele_status table_print(output *out, const stele_method *method, row_source *from, const column *columns,
                         size_t *count);

/* Which column of the method's rows has that name.  It must exist. */
size_t table_index(const stele_method *method, const char *result);

/* A number for people, in new memory: 1.2 MB with the unit "B", 1.2 M without one. */
char *table_number(double number, const char *unit);
/* "1 session", "1.3 k sessions" */
char *table_counted(double number, const char *what);
/* Dollars: $0.42, $12.30, $1200. */
char *table_money(double dollars);

/* A time of a store, seconds or milliseconds: in seconds, */
double table_seconds(double time);
/* and as local time in strftime's format. */
char *table_time(double time, const char *format);

#endif
