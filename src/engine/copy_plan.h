/* copy_plan.h - what of a store is copied: its tables as they are on both sides, without what is derived. */
#ifndef ST_COPY_PLAN_H
#define ST_COPY_PLAN_H

#include "engine/copy_value.h"
#include "engine/opened.h"

/* The tables in which a store says that a copy into it is under way, and that one was made. */
#define ST_COPYING "stele_copying"
#define ST_COPIED "stele_copied"

typedef struct st_copy_column {
  const char *from;   /* its name in the source */
  const char *to;     /* and in the target */
  const char *type[2]; /* as declared in the source, and in the target */
  st_copy_form form;
} st_copy_column;

typedef struct st_copy_table st_copy_table;
struct st_copy_table {
  st_copy_table *next;
  const char *name;
  st_copy_column *columns;
  size_t ncolumns;
  size_t *keys; /* columns of its key, in the key's order: by it the rows are read, compared and written */
  size_t nkeys;
  bool foreign;        /* it is none of the store's: it stays where it is */
  const char *problem; /* not NULL: why it cannot be copied */
};

typedef struct st_copy_plan {
  st_arena *arena;
  const st_opened *source, *target;
  st_copy_table *tables; /* in the order of their names */
} st_copy_plan;

/* Look at both sides.  A failure is left in the connection that met it: *whose. */
stele_status st_copy_plan_make(st_copy_plan *plan, const st_opened **whose);

#endif
