/* convert.h - from one form of the search tables to the other (form.h), while others read and write.
**
** Everything is done in short transactions.  How far the tables inside the store are filled is noted in
** state_meta until they are complete; whoever is stopped, or killed, is continued by the next call. */
#ifndef ST_CONVERT_H
#define ST_CONVERT_H

#include "engine/call.h"

/* Put the search tables into the store.  With anew, those that are there are made again.  *indexed counts
** messages. */
void st_convert_to_compatible(st_call *call, bool anew, int64_t *indexed);

/* Was that begun, and not completed? */
bool st_convert_is_pending(st_call *call);

/* Take them out, and bring the index beside the store up to date. */
void st_convert_to_stele(st_call *call, int64_t *indexed);

#endif
