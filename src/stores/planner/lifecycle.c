/* lifecycle.c - which status may follow which. */
#include <string.h>

#include "stores/planner/planner.h"

typedef struct state {
  const char *what; /* "plan", "task"; NULL: both */
  const char *name;
  const char *next; /* for people, and looked up in; NULL: it is final */
} state;

static const state STATES[] = {
    {"task", "pending", "running, done, failed or cancelled"},
    {"task", "running", "done, failed or cancelled"},
    {"plan", "running", "done, failed, cancelled or replanning"},
    {"plan", "replanning", "done, failed or cancelled"},
    {NULL, "done", NULL},
    {NULL, "failed", NULL},
    {NULL, "cancelled", NULL},
};

static const state *find(const char *what, const char *name) {
  for (size_t i = 0; i < sizeof STATES / sizeof *STATES; i++)
    if ((!STATES[i].what || strcmp(STATES[i].what, what) == 0) && strcmp(STATES[i].name, name) == 0) return &STATES[i];
  return NULL;
}

/* A status that another program made up may be followed by any. */
void st_planner_check_move(st_call *call, const char *field, const char *what, int64_t id, const st_value *from,
                           const st_value *to) {
  if (!st_ok(call) || strcmp(from->bytes, to->bytes) == 0) return;
  const state *is = find(what, from->bytes);
  if (!is || (is->next && strstr(is->next, to->bytes))) return;
  if (is->next)
    st_fail(call, STELE_INVALID, field, "%s: %s %lld is %s, and can become %s, not %s", field, what, (long long)id,
            is->name, is->next, to->bytes);
  else
    st_fail(call, STELE_INVALID, field,
            "%s: %s %lld is %s, and done, failed and cancelled are final: it cannot become %s", field, what,
            (long long)id, is->name, to->bytes);
}
