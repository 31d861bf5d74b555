/* origin.h - conversations of some sources only. */
#ifndef ST_ORIGIN_H
#define ST_ORIGIN_H

#include "recall/asked.h"

/* Only sessions have sources: nothing but the conversations is asked, and of these the sessions of the sources, as far as
** sessions were not named. */
void st_origin_narrow(st_asked_stores *asked, const st_value *sources);

#endif
