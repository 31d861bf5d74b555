/* copy_page.h - the rows of a table, a page at a time: read from both sides in the order of their keys, compared value by
** value, and what differs is written. */
#ifndef ST_COPY_PAGE_H
#define ST_COPY_PAGE_H

#include "engine/copy_plan.h"

/* What became of a table, or of a page of it. */
typedef struct st_copy_tally {
  int64_t rows;    /* of the source */
  int64_t written; /* rows of the target that were written or taken away */
  int64_t refused; /* rows that the target cannot keep */
} st_copy_tally;

typedef struct st_copy_walk {
  const st_copy_plan *plan;
  const st_copy_table *table;
  st_arena arenas[2]; /* a page is in one, and the key that it began after; the next page in the other */
  st_arena *arena;
  st_copy_tally tally;
  const st_value *after; /* the key of the last row that was walked over; NULL: none yet */
  bool end;              /* there is no row after it */
  /* Told of each row that the target refused. */
  void (*refused)(void *user, const st_copy_table *table, const char *key, const char *why);
  void *user;
} st_copy_walk;

void st_copy_walk_open(st_copy_walk *walk, const st_copy_plan *plan, const st_copy_table *table);
void st_copy_walk_close(st_copy_walk *walk);

/* Begin after the last row of the target that is there already: rows are written in the order of their keys, so that a copy
** that was stopped goes on there.  (What changed in the rows before it is found by the walk that follows.) */
stele_status st_copy_walk_resume(st_copy_walk *walk, const st_opened **whose);

/* One page.  *whose has the connection with the failure. */
stele_status st_copy_walk_page(st_copy_walk *walk, const st_opened **whose);

#endif
