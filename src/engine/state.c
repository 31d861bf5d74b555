/* state.c - see state.h. */
#include "engine/state.h"

#include <stdio.h>
#include <string.h>

bool st_opened_in_memory(const st_opened *opened) {
  return opened->location && strcmp(opened->location, ":memory:") == 0;
}

static stele_status look_at(const st_opened *opened, st_look *look, char problem[400]) {
  *look = (st_look){.fresh = true};
  if (!opened->driver) snprintf(problem, 400, "this Stele was built without PostgreSQL");
  if (!opened->driver) return STELE_UNSUPPORTED;
  if (!opened->location) snprintf(problem, 400, "the handle was opened without a home");
  if (!opened->location) return STELE_INVALID;
  if (!st_opened_in_memory(opened)) return st_opened_look(opened, look, problem);
  if (!opened->conn) return STELE_OK;
  stele_status status = opened->driver->look(opened->conn, look);
  if (status == STELE_OK) status = opened->driver->size(opened->conn, &look->bytes, &look->wal_bytes);
  if (status != STELE_OK) snprintf(problem, 400, "%s", opened->conn->problem);
  return status;
}

static const char *name_of(const st_opened *opened, stele_status status, const st_look *look) {
  if (status == STELE_NOTFOUND) return "absent";
  if (status != STELE_OK) return "unreachable";
  if (look->fresh) return "fresh";
  if (look->foreign[0]) return "foreign";
  if (look->version > opened->store->accepts) return "newer";
  return st_look_is_old(opened->store, look) ? "old" : "current";
}

void st_state_look(const st_opened *opened, st_state *out) {
  out->problem[0] = '\0';
  out->status = look_at(opened, &out->look, out->problem);
  out->name = name_of(opened, out->status, &out->look);
  if (out->status == STELE_OK && out->look.foreign[0])
    snprintf(out->problem, sizeof out->problem, "%s", out->look.foreign);
}

bool st_state_is_ours(const st_state *state) {
  return state->status == STELE_OK && !state->look.fresh && !state->look.foreign[0];
}
