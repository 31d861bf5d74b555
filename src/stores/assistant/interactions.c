/* interactions.c - exchanges are kept, and told in the order in which they are asked for. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "registry_ids.h"
#include "stores/assistant/assistant.h"

/* ---- Keeping ---- */

#define JSON_SPACE " \t\r\n"

void st_assistant_save_interaction(st_call *call) {
  const char *tools = st_arg_text(call, ST_P_ASSISTANT_SAVE_INTERACTION_TOOLS_USED);
  if (tools && tools[strspn(tools, JSON_SPACE)] != '[')
    st_fail(call, STELE_INVALID, "tools_used", "tools_used must be an array");
  st_run(call, STELE_M_ASSISTANT_WRITE_INTERACTION, call->args); /* its parameters are the same */
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_ASSISTANT_SAVE_INTERACTION_ID] = call->args[ST_P_ASSISTANT_SAVE_INTERACTION_ID];
}

/* ---- By ids ---- */

typedef struct found {
  st_row *row;
  bool placed;
} found;

static int compare(const void *id, const void *with) {
  const st_value *a = id, *b = &((const found *)with)->row->values[ST_R_ASSISTANT_GET_INTERACTIONS_BY_IDS_ID];
  return st_text_compare((st_text){a->bytes, a->length}, (st_text){b->bytes, b->length});
}

/* The reply's rows, sorted by id, in the order of the ids instead; an id that stands twice counts once. */
static void put_in_order(st_call *call, const st_value *ids, size_t count) {
  found *all = st_call_alloc(call, count * sizeof *all);
  if (!all) return;
  st_row *row = call->first;
  for (size_t i = 0; i < count; i++, row = row->next) all[i].row = row;
  st_row **end = &call->first;
  for (uint32_t i = 0; i < ids->count; i++) {
    found *one = bsearch(&ids->items[i], all, count, sizeof *all, compare);
    if (!one || one->placed) continue;
    one->placed = true;
    *end = call->last = one->row;
    end = &one->row->next;
  }
  *end = NULL;
}

void st_assistant_get_interactions_by_ids(st_call *call) {
  const st_value *ids = &call->args[ST_P_ASSISTANT_GET_INTERACTIONS_BY_IDS_IDS];
  size_t count = 0;
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_ASSISTANT_FIND_INTERACTIONS, ids);
  for (; st_rows_next(call, &rows); count++) st_reply_read(call, &rows, ST_ALL_COLUMNS);
  st_rows_end(call, &rows);
  if (count > 0) put_in_order(call, ids, count);
}
