/* quarantine.h - rows that refer to a row that is not there, put aside. */
#ifndef ST_QUARANTINE_H
#define ST_QUARANTINE_H

#include "engine/opened.h"

/* Move every row without a parent, and then those that referred to it, to stele_quarantine, which is made for the
** first of them: the table it was in, the row as JSON, and why.  Inside a write transaction in which keys are not
** enforced.  Only SQLite: elsewhere no row can lose its parent. */
stele_status st_quarantine(st_opened *opened);

#endif
