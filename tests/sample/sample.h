/* sample.h - native methods of the sample store; the tests' registry refers to them. */
#ifndef ST_SAMPLE_H
#define ST_SAMPLE_H

#include "engine/call.h"

void st_sample_put_items(st_call *call);
void st_sample_describe(st_call *call);
void st_sample_doctor(st_call *call);
void st_sample_put_up(st_call *call);

#endif
