/* index_doctor.c - a line of the checkup: how the search index of a store is. */
#include "search/index_doctor.h"

#include "engine/doctor.h"
#include "search/index_state.h"

#define BEHIND_WARN 1000 /* counting stops there */

static void tell_behind(st_call *call, const st_index_state *index, const char *things) {
  const char *form = index->form[0] == 'c' ? "in the store's own tables" : "up to date";
  if (!index->made && index->missing < BEHIND_WARN) {
    st_doctor_line(call, ST_HEALTH_OK, "index", "there is no search index yet: the first search makes it");
  } else if (index->missing == 0) {
    st_doctor_line(call, ST_HEALTH_OK, "index", "the search index is %s", form);
  } else if (index->missing < BEHIND_WARN) {
    st_doctor_line(call, ST_HEALTH_OK, "index", "the search index lacks %lld %s%s, which a search reads by itself", (long long)index->missing,
                   things, index->missing == 1 ? "" : "s");
  } else {
    st_doctor_line(call, ST_HEALTH_WARN, "index", "the search index lacks a thousand %ss or more", things);
    st_doctor_cause(call, "it was deleted or is new, or much was taken in: the next search has to catch up first");
    st_doctor_fix(call, "stele index");
  }
}

static void tell(st_call *call, const char *things) {
  st_index_state index;
  st_index_look(call, &index);
  if (!st_ok(call)) return;
  if (!index.problem && !index.outdated) {
    tell_behind(call, &index, things);
    return;
  }
  st_doctor_line(call, ST_HEALTH_WARN, "index", index.problem ? "the search index cannot be read: %s" : "the search index is of another format%s",
                 index.problem ? index.problem : "");
  st_doctor_cause(call, "it is derived from the %ss, which are not affected; the next search throws it away and makes it anew", things);
  st_doctor_fix(call, "stele reindex");
}

void st_conversation_doctor(st_call *call) { tell(call, "message"); }
void st_documents_doctor(st_call *call) { tell(call, "document"); }
