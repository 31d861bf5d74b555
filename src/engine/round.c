/* round.c - see round.h. */
#include "engine/round.h"

#include <math.h>
#include <string.h>

#include "base/time.h"
#include "engine/args.h"
#include "engine/handle.h"
#include "engine/state.h"

bool st_round_is_there(st_call *call, const st_opened *opened) {
  st_state state;
  if (opened->settled) return true;
  if (!opened->location) return false;
  st_state_look(opened, &state);
  if (state.status != STELE_OK && state.status != STELE_NOTFOUND) st_fail(call, state.status, NULL, "%s: %s", opened->store->name, state.problem);
  return state.status == STELE_OK && !state.look.fresh;
}

bool st_round_enter(st_call *store, const st_call *call, int index, st_error *error) {
  *store = *call;
  store->error = error;
  store->first = store->last = NULL;
  store->text = NULL;
  if (call->db->tx == &call->db->stores[index]) st_fail(store, STELE_MISUSE, NULL, "cannot run inside a transaction");
  return st_ok(store) && st_handle_store(call->db, index, error, &store->store);
}

st_value st_round_time(st_call *part, const char *field, double seconds) {
  st_args args = {part->method, part->store->store->time_form, part->arena, part->error, NULL};
  st_value time = {.type = ST_NULL};
  if (!(fabs(seconds) < 9e11) || !st_args_time(&args, &time, (st_micros)llround(seconds * 1e6)))
    st_fail(part, STELE_INVALID, field, "%s is not within the years 0 to 9999", field);
  return time;
}

bool st_round_pass(st_call *part, const st_call *call) {
  const st_method *method = part->method;
  st_args args = {method, part->store->store->time_form, part->arena, part->error, NULL};
  st_call asked = *part; /* what is wrong with an argument is told of the method that was called */
  asked.method = call->method;
  args.values = part->args = st_call_alloc(part, (method->public.nparams + 1) * sizeof *part->args);
  if (!args.values) return false;
  for (size_t i = 0; i < method->public.nparams; i++) {
    int said = st_param_index(call->method, method->public.params[i].name);
    args.values[i] = said >= 0 ? call->args[said] : (st_value){.type = ST_ABSENT};
    if (method->public.params[i].type == STELE_TYPE_TIME && args.values[i].type == ST_REAL)
      args.values[i] = st_round_time(&asked, method->public.params[i].name, args.values[i].real);
  }
  return st_ok(part) && st_args_complete(&args);
}

bool st_round_names(const char *text, const char *name) {
  size_t length = strlen(text);
  return strncmp(text, name, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

bool st_round_is_named(const st_value *list, const char *name) {
  for (uint32_t i = 0; i < list->count; i++)
    if (st_round_names(list->items[i].bytes, name)) return true;
  return false;
}
