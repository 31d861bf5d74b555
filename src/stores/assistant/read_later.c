/* read_later.c - an article is deleted by its id or by the beginning of it. */
#include "base/chars.h"
#include "registry_ids.h"
#include "stores/assistant/assistant.h"

#define PREFIX_MIN 4 /* characters; what is shorter is a whole id */

static bool is_long_enough(const st_value *prefix) {
  const char *at = prefix->bytes, *end = at + prefix->length;
  int characters = 0, size;
  for (; at < end && characters < PREFIX_MIN; at += size, characters++) st_char_read(at, end, &size);
  return characters == PREFIX_MIN;
}

/* The id that is meant; null: there is none. */
static st_value find(st_call *call, const st_value *given) {
  st_value id, meant = {.type = ST_NULL};
  int64_t count = 0;
  bool exact = false;
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_ASSISTANT_FIND_READ_LATER, given);
  for (; !exact && st_rows_next(call, &rows); count++) {
    st_rows_value(call, &rows, ST_R_ASSISTANT_FIND_READ_LATER_ID, &id);
    exact = id.length == given->length;
    if (count > 0 || (!exact && !is_long_enough(given))) continue;
    meant = id;
    meant.bytes = st_call_copy(call, id.bytes, id.length);
  }
  st_rows_end(call, &rows);
  if (count > 1 && meant.type == ST_TEXT) {
    st_fail(call, STELE_INVALID, "id", "id: %lld articles begin with it, and none was deleted", (long long)count);
    st_hint(call, "give more of the id");
  }
  return meant;
}

void st_assistant_delete_read_later(st_call *call) {
  st_value id = find(call, &call->args[ST_P_ASSISTANT_DELETE_READ_LATER_ID]);
  int64_t deleted = id.type == ST_TEXT ? st_run(call, STELE_M_ASSISTANT_DROP_READ_LATER, &id) : 0;
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_ASSISTANT_DELETE_READ_LATER_DELETED] = st_int(deleted);
  reply[ST_R_ASSISTANT_DELETE_READ_LATER_ID] = id;
}
