/* remove.h - takes the search tables of its format out of a store, however large, without keeping others
** waiting: in a moment what is large in them is put aside under other names, and then emptied step by step. */
#ifndef ST_REMOVE_H
#define ST_REMOVE_H

#include "engine/call.h"

/* Inside a write transaction: put them aside, with their triggers gone.  If one of them is missing, the rest is
** dropped at once. */
void st_remove_begin(st_call *call);

/* Empty and drop what was put aside, now or by a call that was stopped; does nothing where there is none. */
void st_remove_finish(st_call *call);

/* How many rows the next step should take, so that one takes about 25 ms: the last took `ms` for `rows`. */
int st_step_rows(int rows, int64_t ms, int most);

#endif
