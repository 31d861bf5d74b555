/* neighbours.c - see neighbours.h. */
#include "search/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "registry_ids.h"
#include "search/allowed.h"
#include "search/sources.h"

/* A session, a kind or a project that the filter allows is the neighbour's as well. */
static bool allows(const st_call *call, const st_document_filter *filter, const st_document *document) {
  double time = st_seconds(call, &document->time);
  return st_list_has(filter->roles, &document->role) && time >= filter->since && time < filter->until;
}

/* A message's number as its id. */
static st_value id_text(st_call *call, int64_t number) {
  st_str text;
  st_str_init(&text, 32);
  st_str_addf(&text, "%lld", (long long)number);
  return st_take(call, &text);
}

static st_document document_of(st_call *call, const st_value *row, const st_document *of) {
  return (st_document){.id = id_text(call, row[ST_R_CONVERSATION_SEARCH_NEIGHBOURS_ID].integer),
                       .title = row[ST_R_CONVERSATION_SEARCH_NEIGHBOURS_TOOL_NAME],
                       .text = row[ST_R_CONVERSATION_SEARCH_NEIGHBOURS_CONTENT],
                       .extra = {.type = ST_NULL},
                       .time = row[ST_R_CONVERSATION_SEARCH_NEIGHBOURS_TIMESTAMP],
                       .project = of->project,
                       .session = of->session,
                       .role = row[ST_R_CONVERSATION_SEARCH_NEIGHBOURS_ROLE],
                       .url = {.type = ST_NULL},
                       .kind = of->kind};
}

void st_neighbours(st_call *call, const st_document *of, const st_document_filter *filter, st_document out[2]) {
  st_value id_item, list = {.type = ST_LIST, .items = &id_item, .count = 1, .width = 1}, row[ST_R_CONVERSATION_SEARCH_NEIGHBOURS_TOOL_NAME + 1];
  st_rows rows;
  for (int i = 0; i < 2; i++) out[i] = (st_document){.id = {.type = ST_NULL}};
  if (strcmp(of->kind, "message") != 0 || of->session.type != ST_TEXT) return;
  int64_t id = strtoll(of->id.bytes, NULL, 10);
  id_item = st_int(id);
  st_rows_start(call, &rows, STELE_M_CONVERSATION_SEARCH_NEIGHBOURS, &list);
  while (st_rows_next(call, &rows)) {
    st_rows_keep(call, &rows, row);
    st_document one = document_of(call, row, of);
    if (st_ok(call) && allows(call, filter, &one)) out[row[ST_R_CONVERSATION_SEARCH_NEIGHBOURS_ID].integer > id] = one;
  }
  st_rows_end(call, &rows);
}
