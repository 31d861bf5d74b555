/* visit.h - visits of pages, as browsers tell of them.  Methods: sql/stele/browser.sql. */
#ifndef ST_VISIT_H
#define ST_VISIT_H

#include "engine/call.h"

void st_stele_read_visit(st_call *call);

#endif
