/* reindex.c - where the search tables are, and bringing them up to date. */
#include <string.h>

#include "registry_ids.h"
#include "search/convert.h"
#include "search/documents_messages.h"
#include "search/indexer_postgres.h"
#include "search/form.h"
#include "search/index_state.h"
#include "stores/conversation/conversation.h"

void st_conversation_reindex(st_call *call) {
  bool compatible = strcmp(st_arg_text(call, ST_P_CONVERSATION_REINDEX_MODE), "compatible") == 0;
  bool postgres = call->store->driver->engine == ST_POSTGRES;
  int64_t indexed = 0;
  if (postgres && compatible) {
    st_fail(call, STELE_UNSUPPORTED, "mode", "on PostgreSQL the search tables have one form only");
  } else if (postgres) {
    st_form_compatible(call);
    st_postgres_catch_up(call, &indexed);
  } else if (compatible) {
    st_convert_to_compatible(call, false, &indexed);
  } else {
    st_convert_to_stele(call, &indexed);
  }
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_CONVERSATION_REINDEX_MODE] = st_textz(compatible ? "compatible" : "stele");
  row[ST_R_CONVERSATION_REINDEX_INDEXED] = st_int(indexed);
}

void st_conversation_index_messages(st_call *call) {
  bool rebuild = st_arg_int(call, ST_P_CONVERSATION_INDEX_MESSAGES_REBUILD) != 0;
  int64_t indexed = 0;
  st_messages_index(call, rebuild, &indexed);
  st_value *row = st_reply(call);
  if (row) row[ST_R_CONVERSATION_INDEX_MESSAGES_INDEXED] = st_int(indexed);
}

void st_conversation_index_status(st_call *call) {
  st_index_state state;
  st_index_look(call, &state);
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_CONVERSATION_INDEX_STATUS_FORM] = st_textz(state.form);
  if (state.bytes >= 0) row[ST_R_CONVERSATION_INDEX_STATUS_BYTES] = st_int(state.bytes);
  row[ST_R_CONVERSATION_INDEX_STATUS_MISSING] = st_int(state.missing);
  row[ST_R_CONVERSATION_INDEX_STATUS_PROBLEM] = st_textz(state.problem);
}
