/* form.h - where the search tables of a SQLite store are.
**
** Usually in a file of Stele's own beside it (index.h); then the store notes what was changed or
** deleted, in the table stele_change.  A compatible store has the search tables of its format inside,
** kept up to date by triggers, so that another program can search it too; it notes nothing, and has no
** file beside it.  A store that notes changes is Stele's, whatever else is in it: so it is while it is
** being converted, until the moment in which the other form is complete. */
#ifndef ST_FORM_H
#define ST_FORM_H

#include "engine/call.h"

/* Is the store compatible?  If not, makes sure that it notes changes. */
bool st_form_compatible(st_call *call);

/* Has another process converted it since st_form_compatible() answered so? */
bool st_form_changed(st_call *call, bool compatible);

/* Inside a write transaction: begin to note changes.  An index that was there before knows nothing of
** those that were not noted, and is thrown away. */
void st_form_note_changes(st_call *call);

#endif
