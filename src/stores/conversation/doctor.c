/* doctor.c - conversation.doctor: how the search index is. */
#include "engine/doctor.h"
#include "search/index_state.h"
#include "stores/conversation/conversation.h"

#define BEHIND_WARN 1000 /* counting stops there */

static void tell_behind(st_call *call, const st_index_state *index) {
  const char *form = index->form[0] == 'c' ? "in the store's own tables" : "up to date";
  if (index->missing == 0) {
    st_doctor_line(call, ST_HEALTH_OK, "index", "the search index is %s", form);
  } else if (index->missing < BEHIND_WARN) {
    st_doctor_line(call, ST_HEALTH_OK, "index", "the search index lacks %lld message%s, which a search reads by itself", (long long)index->missing,
                   index->missing == 1 ? "" : "s");
  } else {
    st_doctor_line(call, ST_HEALTH_WARN, "index", "the search index lacks a thousand messages or more");
    st_doctor_cause(call, "it was deleted or is new, or much was taken in: the next search has to catch up first");
    st_doctor_fix(call, "stele index");
  }
}

void st_conversation_doctor(st_call *call) {
  st_index_state index;
  st_index_look(call, &index);
  if (!st_ok(call)) return;
  if (!index.problem && !index.outdated) {
    tell_behind(call, &index);
    return;
  }
  st_doctor_line(call, ST_HEALTH_WARN, "index", index.problem ? "the search index cannot be read: %s" : "the search index is of another format%s",
                 index.problem ? index.problem : "");
  st_doctor_cause(call, "it is derived from the messages, which are not affected; the next search throws it away and makes it anew");
  st_doctor_fix(call, "stele reindex");
}
