/* seen.h - rows by their refs, as far as they may be seen. */
#ifndef ST_SEEN_H
#define ST_SEEN_H

#include "recall/found.h"

/* Read what the refs name, in their order.  One that is not there, or that only its own session may see, which is not
** among the sessions, has a document whose id is ST_NULL.  A ref that is none fails the call, and its field is
** blamed. */
void st_seen_read(st_call *call, const char *field, const st_value *refs, const st_value *sessions, st_asked_stores *asked, st_recalled *rows);

#endif
