/* forget.h - erasure: the methods of sql/stele/erasure.sql. */
#ifndef ST_FORGET_H
#define ST_FORGET_H

#include "engine/call.h"

void st_stele_forget(st_call *call);
void st_stele_forgotten(st_call *call);

#endif
