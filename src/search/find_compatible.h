/* find_compatible.h - what find.h does where the search tables are in the store itself (form.h). */
#ifndef ST_FIND_COMPATIBLE_H
#define ST_FIND_COMPATIBLE_H

#include "search/find.h"

void st_compatible_find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k,
                        st_found *found);

/* What is wrong with the store's own search tables. */
typedef struct st_inline_state {
  bool broken;      /* a table or a trigger is missing: what they say is not to be trusted */
  bool lacking;     /* they do not have every message */
  int64_t messages; /* in the store */
  double average;   /* tokens of a message, about; 0: not known */
} st_inline_state;
void st_inline_look(st_call *call, st_inline_state *state);

#endif
