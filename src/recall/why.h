/* why.h - what a hit was found by: for programs, and in a line for people. */
#ifndef ST_WHY_H
#define ST_WHY_H

#include "recall/found.h"

/* JSON: ranks and scores. */
st_value st_why_parts(st_call *call, const st_recalled *row);

/* has "camping", "june"; near in meaning (0.83); next to what has them */
st_value st_why(st_call *call, st_matcher *matcher, const st_recalled *row);

#endif
