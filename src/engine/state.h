/* state.h - how a store is, found out without changing anything. */
#ifndef ST_STATE_H
#define ST_STATE_H

#include "engine/opened.h"

typedef struct st_state {
  const char *name;    /* current, absent, fresh, old, newer, foreign or unreachable */
  stele_status status; /* of looking */
  st_look look;        /* when that is OK */
  char problem[400];   /* why it cannot be used, or "" */
} st_state;

/* A store in memory is there only through the handle's own connection. */
void st_state_look(const st_opened *opened, st_state *out);
bool st_state_is_ours(const st_state *state);

bool st_opened_in_memory(const st_opened *opened);

#endif
