/* scan.h - searching the rows of a table for a text, whatever its case.
**
** Neither engine's LIKE folds the case of all letters, or the same ones.  So a private method yields the rows in
** order, and the text is looked for here.  PostgreSQL sends only rows that may hold it: those with something
** besides ASCII, and those that its LIKE finds. */
#ifndef ST_SCAN_H
#define ST_SCAN_H

#include "engine/call.h"

typedef struct st_scan {
  int method;            /* yields the rows; its results are those of the method that searches */
  st_value *args;        /* its arguments, */
  size_t pattern;        /* of which this one is filled in: the pattern for LIKE, absent where none finds all */
  const size_t *columns; /* results to look at */
  size_t ncolumns;
  const st_value *query; /* what to look for */
  int64_t limit, offset; /* at most so many rows (negative: all), after leaving out so many */
} st_scan;

/* Reply the rows in which the text stands.  An empty one is refused. */
void st_scan_reply(st_call *call, const st_scan *scan);

#endif
