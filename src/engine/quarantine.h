/* quarantine.h - rows that refer to a row that is not there, put aside. */
#ifndef ST_QUARANTINE_H
#define ST_QUARANTINE_H

#include "engine/opened.h"

/* Move every row without a parent, and then those that referred to it, to stele_quarantine, which is made for the
** first of them: the table it was in, the row as JSON, and why.  Inside a write transaction in which keys are not
** enforced.  Only SQLite: elsewhere no row can lose its parent. */
stele_status st_quarantine(st_opened *opened);

/* Rows that were put aside for one reason. */
typedef struct st_put_aside {
  const char *table, *reason;
  int64_t rows;
} st_put_aside;

/* The number of the last row of the quarantine; 0: there is none. */
stele_status st_quarantine_last(st_opened *opened, int64_t *last);
/* What came after that row, through tell().  False from it: there is no memory to keep it. */
stele_status st_quarantine_since(st_opened *opened, int64_t last, bool (*tell)(void *to, const st_put_aside *what), void *to);

#endif
