/* chore.h - what the stores' chores of stele.upkeep share. */
#ifndef ST_CHORE_H
#define ST_CHORE_H

#include "engine/call.h"

/* Tell of one change: a row of the reply, `what`, `change` and why in words. */
void st_chore_tell(st_call *call, st_value what, const char *change, const char *why, ...) __attribute__((format(printf, 4, 5)));

/* "fact 12", in the call's memory. */
st_value st_chore_what(st_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Is something to be done about what was told?  Not if it was nothing, and not on a dry run. */
bool st_chore_in_earnest(const st_call *call, int dry_run);

#endif
