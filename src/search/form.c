/* form.c - see form.h. */
#include "search/form.h"

#include "engine/feature.h"
#include "registry_ids.h"
#include "search/index.h"

static bool is_compatible(const st_call *call) {
  return st_feature_has(call, ST_F_CONVERSATION_COMPATIBLE) && !st_feature_has(call, ST_F_CONVERSATION_CHANGES);
}

/* On PostgreSQL nothing is converted: there is nothing to look for at every search. */
static bool has_one_form(const st_call *call) { return call->store->driver->engine == ST_POSTGRES; }

void st_form_note_changes(st_call *call) {
  if (!st_ok(call) || st_feature_has(call, ST_F_CONVERSATION_CHANGES)) return;
  st_index_drop(call);
  st_feature_need(call, ST_F_CONVERSATION_CHANGES);
}

bool st_form_compatible(st_call *call) {
  if (!st_ok(call)) return false;
  if (has_one_form(call)) {
    st_feature_need(call, ST_F_CONVERSATION_CHANGES);
    return false;
  }
  st_features_refresh(call);
  if (is_compatible(call)) {
    if (call->store->attached) st_index_drop(call); /* it was converted by another process */
    return true;
  }
  if (st_feature_has(call, ST_F_CONVERSATION_CHANGES) || call->store->target.readonly) return false;
  st_call_begin(call, true);
  if (!st_ok(call)) return false;
  st_features_refresh(call); /* another process may have been faster */
  if (!is_compatible(call)) st_form_note_changes(call);
  st_call_end(call);
  return st_ok(call) && is_compatible(call);
}

bool st_form_changed(st_call *call, bool compatible) {
  if (has_one_form(call)) return compatible;
  st_features_refresh(call);
  return is_compatible(call) != compatible;
}
