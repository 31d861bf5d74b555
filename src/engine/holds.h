/* holds.h - which legal hold keeps what a call could not delete. */
#ifndef ST_HOLDS_H
#define ST_HOLDS_H

#include "engine/call.h"

/* Of a call that ended with STELE_HELD: its hint names the holds of the store that are in force, and why they are.  The trigger that
** refused cannot: SQLite before 3.47, which other programs may have, takes nothing but a constant for its text. */
void st_holds_name(st_call *call);

#endif
