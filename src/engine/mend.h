/* mend.h - a new file that was put together of another's rows is made whole. */
#ifndef ST_MEND_H
#define ST_MEND_H

#include "engine/call.h"

/* As stele.repair does it, without a copy first: what is missing is added, rows without a parent are put aside.  A file of another version
** is left as it is: that is a migration's work. */
stele_status st_mend_made(st_call *call, st_opened *opened);

#endif
