/* feature.h - what a store gets only when a method first needs it: a column, an index, a table.
** A file that never meets the feature keeps exactly the tables it was made with. */
#ifndef ST_FEATURE_H
#define ST_FEATURE_H

#include "engine/call.h"

/* See which features the store has.  STELE_OK, or a failure of the connection. */
stele_status st_features_look(st_opened *opened);

/* Make sure of the features the call's method needs.  Outside a transaction each is made in one of
** its own.  On a store open for reading a missing one is simply missing. */
void st_features_ensure(st_call *call);

#endif
