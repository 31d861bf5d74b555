/* get.c - recall.get: whole rows by their refs. */
#include <string.h>

#include "recall/asked.h"
#include "recall/found.h"
#include "recall/recall.h"
#include "recall/seen.h"
#include "recall/shown.h"
#include "registry_ids.h"

static void tell_text(st_call *call, const st_document *document, st_value *out) {
  st_column columns[ST_SHOWN_COLUMNS];
  st_shown_columns(call, document, columns);
  out[ST_R_RECALL_GET_TEXT] = document->text;
  if (document->text.type == ST_TEXT) out[ST_R_RECALL_GET_TEXT] = st_call_text(call, columns[0].text, columns[0].length);
}

static void tell(st_asked_stores *asked, const st_recalled *row, st_value *out) {
  st_call *call = asked->call;
  const st_document *document = &row->document;
  out[ST_R_RECALL_GET_STORE] = st_textz(asked->stores[row->store].part.store->store->name);
  out[ST_R_RECALL_GET_KIND] = st_textz(row->kind);
  out[ST_R_RECALL_GET_ID] = st_textz(row->id);
  out[ST_R_RECALL_GET_TITLE] = document->title;
  out[ST_R_RECALL_GET_EXTRA] = document->extra;
  out[ST_R_RECALL_GET_TIME] = st_shown_time(row);
  out[ST_R_RECALL_GET_PROJECT] = document->project;
  out[ST_R_RECALL_GET_SESSION] = document->session;
  out[ST_R_RECALL_GET_ROLE] = document->role;
  out[ST_R_RECALL_GET_URL] = document->url;
  out[ST_R_RECALL_GET_MARK] = st_shown_mark(asked, row);
  tell_text(call, document, out);
}

void st_recall_get(st_call *call) {
  const st_value *refs = &call->args[ST_P_RECALL_GET_REFS];
  st_value session = call->args[ST_P_RECALL_GET_SESSION];
  st_value sessions = {.type = ST_LIST, .items = &session, .count = st_has(call, ST_P_RECALL_GET_SESSION), .width = 1};
  st_recalled *rows = st_call_alloc(call, (refs->count + 1) * sizeof *rows);
  st_asked_stores asked;
  st_seen_read(call, "refs", refs, &sessions, &asked, rows);
  for (uint32_t i = 0; i < refs->count && st_ok(call); i++) {
    st_value *out = st_reply(call);
    if (!out) return;
    out[ST_R_RECALL_GET_REF] = refs->items[i];
    if (rows[i].document.id.type > ST_NULL) tell(&asked, &rows[i], out);
    else st_note(call, "there is no %.200s, or it may not be seen", refs->items[i].bytes);
  }
}
