/* planner.h - native methods of the planner store; the registry refers to them. */
#ifndef ST_PLANNER_H
#define ST_PLANNER_H

#include "engine/call.h"
#include "search/find.h"

/* plans.c */
void st_planner_create_plan(st_call *call);
void st_planner_update_plan_status(st_call *call);
void st_planner_cancel_plan(st_call *call);
void st_planner_supersede_plan(st_call *call);
/* tasks.c */
void st_planner_create_task(st_call *call);
void st_planner_update_task(st_call *call);
/* facts.c */
void st_planner_save_fact(st_call *call);
void st_planner_restore_fact(st_call *call);
void st_planner_fade_facts(st_call *call);
/* consolidate.c */
void st_planner_consolidate_facts(st_call *call);
/* search.c */
void st_planner_search_facts(st_call *call);
/* learnings.c */
void st_planner_promote_learning(st_call *call);
void st_planner_ask_learning(st_call *call);
/* chores.c */
void st_planner_upkeep_promote(st_call *call);
void st_planner_upkeep_supersede(st_call *call);
void st_planner_upkeep_decay(st_call *call);
void st_planner_upkeep_archive(st_call *call);
/* context.c */
void st_planner_context(st_call *call);
/* status.c */
void st_planner_status(st_call *call);

/* ---- Shared by them ---- */

/* Fail the call unless a plan or task ("plan", "task") may go from one status to another; field is to blame
** (lifecycle.c). */
void st_planner_check_move(st_call *call, const char *field, const char *what, int64_t id, const st_value *from,
                           const st_value *to);

/* Run a method that inserts one row; the number of that row (rows.c). */
int64_t st_planner_insert(st_call *call, int method, const st_value *args);

/* The row of a number, which must be there (rows.c). */
void st_planner_get(st_call *call, int method, const char *field, int64_t id, st_value *out);

/* Insert tasks, records of insert_task, for a plan; their numbers as a JSON array (tasks.c). */
st_value st_planner_insert_tasks(st_call *call, const st_value *tasks, int64_t plan, const st_value *session,
                                 const st_value *now);

/* Keep a fact, save_fact's arguments; its number.  place stands before a field's name in what is said of it.
** *existing: it was known already (facts.c). */
int64_t st_planner_keep_fact(st_call *call, const st_value *fact, const char *place, bool *existing);

/* Who asks for facts, and for which. */
typedef struct st_planner_viewer {
  st_value session, is_admin;
  st_value category; /* ABSENT: all */
} st_planner_viewer;

/* The best of the facts that may be seen, for a text; see search_facts for match (search.c). */
void st_planner_find_facts(st_call *call, const st_value *text, const char *match, const st_planner_viewer *viewer,
                           int limit, st_found *found);

#endif
