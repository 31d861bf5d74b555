/* table.h - rows of a method as a table for people: local times, readable sizes, as wide as the
** terminal at most. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stddef.h>

#include "output.h"

#define COLUMN_BYTES 1u  /* a size: 1.2 MB */
#define COLUMN_IF_ANY 2u /* left out when it is null in every row */
#define COLUMN_WHOLE 4u  /* never cut */
#define COLUMN_AGO 8u    /* a time: 5 min ago */

/* One column: a result of the method under a heading; of "a|b", b where a is null.  A list of them ends
** with a NULL result. */
typedef struct column {
  const char *result;
  const char *heading;
  unsigned flags;
} column;

/* Step the statement to its end and print its rows, or nothing when there are none.
** Returns STELE_DONE, or the error of a step.  *rows: how many there were. */
stele_status table_print(output *out, const stele_method *method, stele_stmt *stmt, const column *columns,
                         size_t *rows);

/* Which column of the method's rows has that name.  It must exist. */
size_t table_index(const stele_method *method, const char *result);

/* A time of a store, seconds or milliseconds, as local time in strftime's format. */
char *table_time(double time, const char *format);

#endif
