/* enrich.h - native methods that learn; the registry refers to them. */
#ifndef ST_ENRICH_H
#define ST_ENRICH_H

#include "engine/call.h"

/* worker.c */
void st_capture_enrich(st_call *call);

#endif
