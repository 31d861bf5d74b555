/* when.h - a time of any store, in seconds. */
#ifndef ST_WHEN_H
#define ST_WHEN_H

#include <math.h>

#include "base/time.h"
#include "engine/value.h"

#define ST_NO_TIME (-HUGE_VAL)

/* As the store keeps it; ST_NO_TIME: there is none, or it is none. */
double st_when(st_time_form form, const st_value *time);

/* The same for a reply: null where there is none. */
st_value st_when_value(double seconds);

#endif
