/* layout.h - which part of the screen is for what.  Pure. */
#ifndef CLI_TERMINAL_LAYOUT_H
#define CLI_TERMINAL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct area {
  size_t row, column, rows, columns; /* no rows: it is not seen */
} area;

typedef struct layout {
  bool possible;  /* there is room enough for anything */
  area list;      /* what was found */
  area preview;   /* beside it where the screen is wide, else below */
  area rule;      /* the line between them: one row, or one column */
  area reader;    /* of a session: all but the first and the last row */
  size_t query, filters, status; /* rows */
} layout;

layout layout_of(size_t rows, size_t columns, bool preview);

/* The first row of a list of which so many are seen, so that the chosen one is. */
size_t layout_top(size_t top, size_t chosen, size_t rows);

#endif
