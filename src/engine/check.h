/* check.h - what stele.check looks at besides the checkup (doctor.h): every row, and what PostgreSQL can tell of its files. */
#ifndef ST_CHECK_H
#define ST_CHECK_H

#include "engine/doctor.h"

/* Lines about the call's store, which is open for reading only. */
void st_check_rows(st_call *call);     /* how many rows each table has, all of them read */
void st_check_postgres(st_call *call); /* do indexes agree with their tables, and do all references hold? */

#endif
