/* feature.h - what a store gets only when a method first needs it: a column, an index, a table.
** A file that never meets the feature keeps exactly the tables it was made with. */
#ifndef ST_FEATURE_H
#define ST_FEATURE_H

#include "engine/call.h"

/* See which features the store has.  STELE_OK, or a failure of the connection. */
stele_status st_features_look(st_opened *opened);

/* Make those whose older form the store has, unless it is open for reading. */
stele_status st_features_renew(st_opened *opened);

/* Make sure of store->features[index], in a transaction of its own. */
stele_status st_features_make(st_opened *opened, uint16_t index);

/* Look again: another process may have changed what there is.  True: it has. */
bool st_features_refresh(st_call *call);

/* Features by ST_F_*: does the store have it?  Make sure of it: inside the open transaction, else in one
** of its own.  On a store open for reading a missing one is simply missing. */
bool st_feature_has(const st_call *call, int feature);
/* The same, and looked for if it is not known: another process may have made it just now. */
bool st_feature_look(st_call *call, int feature);
void st_feature_need(st_call *call, int feature);

/* Inside a write transaction: take it away, and what is left of it. */
void st_feature_undo(st_call *call, int feature);

/* After a transaction has ended: if it made or undid a feature, the other handles of this process look again. */
void st_features_changed(st_opened *opened);

/* Make sure of the features the call's method needs. */
void st_features_ensure(st_call *call);

#endif
