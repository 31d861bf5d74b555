/* canonical.h - the one form of an entity's names. */
#ifndef ST_CAPTURE_CANONICAL_H
#define ST_CAPTURE_CANONICAL_H

#include "engine/call.h"

/* An entity as it was named. */
typedef struct st_named {
  const char *type, *name;
  const char *home;  /* what ~ stands for; NULL: it stays */
  const char *roots; /* directories of projects, separated by colons; NULL: none */
} st_named;

/* The canonical form, in the call's memory: "" for a name of blanks. */
st_value st_capture_canonical(st_call *call, const st_named *named);

/* The name as people read it: of paths, without worktrees. */
st_value st_capture_display_name(st_call *call, const st_named *named);

#endif
