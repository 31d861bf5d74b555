/* documents_messages.c - see documents_messages.h.
**
** Where a session worked may become known after its messages are indexed: so a project is looked up as the sessions of
** it, whenever it is asked for. */
#include "search/documents_messages.h"

#include <string.h>

#include "registry_ids.h"
#include "search/allowed.h"
#include "search/convert.h"
#include "search/find_index.h"
#include "search/indexer_postgres.h"
#include "search/form.h"
#include "search/index.h"

/* ---- The filter ---- */

typedef struct names {
  const char **all;
  size_t count, room;
} names;

static void add_name(st_call *call, names *n, const st_value *name) {
  if (n->count == n->room) {
    size_t room = 2 * n->room + 64;
    const char **grown = st_call_alloc(call, room * sizeof *grown);
    if (!grown) return;
    if (n->count) memcpy(grown, n->all, n->count * sizeof *grown);
    n->all = grown;
    n->room = room;
  }
  n->all[n->count++] = st_call_copy(call, name->bytes, name->length);
}

/* The sessions of the projects, of those that are asked for. */
static void add_sessions_of(st_call *call, const st_document_filter *filter, names *out) {
  st_value args[ST_P_CONVERSATION_SEARCH_SCOPE_LINEAGE + 1], id;
  st_rows rows;
  memset(args, 0, sizeof args);
  args[ST_P_CONVERSATION_SEARCH_SCOPE_PROJECT_FILTER] = *filter->projects;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_SEARCH_SCOPE, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_CONVERSATION_SEARCH_SCOPE_ID, &id);
    if (st_list_has(filter->sessions, &id)) add_name(call, out, &id);
  }
  st_rows_end(call, &rows);
}

st_filter st_messages_filter(st_call *call, const st_document_filter *filter) {
  st_filter own = {.roles = filter->roles, .since = filter->since, .until = filter->until};
  names sessions = {NULL, 0, 0};
  if (!filter->sessions && !filter->projects) return own;
  sessions.all = st_call_alloc(call, sizeof *sessions.all); /* an empty list is one too */
  if (filter->projects) add_sessions_of(call, filter, &sessions);
  for (uint32_t i = 0; !filter->projects && i < filter->sessions->count; i++) add_name(call, &sessions, &filter->sessions->items[i]);
  own.sessions = sessions.all;
  own.nsessions = sessions.count;
  return own;
}

static bool allows_none(const st_filter *filter) {
  return (filter->sessions && filter->nsessions == 0) || (filter->roles && filter->roles->count == 0);
}

/* ---- Finding ---- */

void st_messages_find(st_call *call, const st_query *query, const st_document_filter *filter, st_order order, int k,
                      st_found *found) {
  st_filter own = st_messages_filter(call, filter);
  *found = (st_found){0};
  if (st_ok(call) && !allows_none(&own)) st_find(call, query, &own, order, k, found);
}

/* Where there is no index file to ask. */
static void list_rows(st_call *call, const st_filter *filter, st_order order, int k, st_found *found) {
  st_value args[ST_P_CONVERSATION_LIST_DOCUMENTS_LIMIT + 1], v[2];
  st_value *sessions = st_call_alloc(call, (filter->nsessions + 1) * sizeof *sessions);
  st_rows rows;
  memset(args, 0, sizeof args);
  found->hits = st_call_alloc(call, ((size_t)k + 1) * sizeof *found->hits);
  if (!st_ok(call)) return;
  for (size_t i = 0; i < filter->nsessions; i++) sessions[i] = st_textz(filter->sessions[i]);
  if (filter->sessions)
    args[ST_P_CONVERSATION_LIST_DOCUMENTS_SESSIONS] =
        (st_value){.type = ST_LIST, .items = sessions, .count = (uint32_t)filter->nsessions, .width = 1};
  if (filter->roles) args[ST_P_CONVERSATION_LIST_DOCUMENTS_ROLES] = *filter->roles;
  if (!isinf(filter->since)) args[ST_P_CONVERSATION_LIST_DOCUMENTS_SINCE] = st_real(filter->since);
  if (!isinf(filter->until)) args[ST_P_CONVERSATION_LIST_DOCUMENTS_UNTIL] = st_real(filter->until);
  if (order == ST_ORDER_OLDEST) args[ST_P_CONVERSATION_LIST_DOCUMENTS_OLDEST] = st_bool(true);
  args[ST_P_CONVERSATION_LIST_DOCUMENTS_LIMIT] = st_int(k);
  st_rows_start(call, &rows, STELE_M_CONVERSATION_LIST_DOCUMENTS, args);
  while (found->count < k && st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_CONVERSATION_LIST_DOCUMENTS_ID, &v[0]);
    st_rows_value(call, &rows, ST_R_CONVERSATION_LIST_DOCUMENTS_TIMESTAMP, &v[1]);
    found->hits[found->count++] = (st_hit){.id = v[0].integer, .time = v[1].type == ST_REAL ? v[1].real : 0};
  }
  st_rows_end(call, &rows);
  found->matches = found->count;
}

void st_messages_list(st_call *call, const st_document_filter *filter, st_order order, int k, st_found *found) {
  st_filter own = st_messages_filter(call, filter);
  bool compatible = st_form_compatible(call);
  *found = (st_found){0};
  if (!st_ok(call) || allows_none(&own)) return;
  if (compatible || call->store->driver->engine == ST_POSTGRES)
    list_rows(call, &own, order, k, found);
  else
    st_index_list(call, &own, order, k, found);
  if (!st_ok(call) && st_form_changed(call, compatible)) call->again = true; /* converted meanwhile: from the start */
}

/* ---- Indexing ---- */

static void index_own(st_call *call, bool rebuild, int64_t *indexed) {
  if (rebuild) st_index_drop(call);
  st_index_complete(call, indexed);
  if (!st_ok(call) && st_form_changed(call, false)) call->again = true; /* converted meanwhile: from the start */
}

bool st_messages_are_inside(st_call *call) {
  return call->store->driver->engine == ST_SQLITE && st_form_compatible(call) && !st_convert_is_pending(call);
}

void st_messages_index(st_call *call, bool rebuild, int64_t *indexed) {
  bool compatible = st_form_compatible(call);
  *indexed = 0;
  if (call->store->driver->engine == ST_POSTGRES) {
    if (rebuild) st_postgres_restart(call);
    st_postgres_catch_up(call, indexed);
    st_postgres_renew(call, indexed);
  } else if (st_convert_is_pending(call)) {
    st_convert_to_compatible(call, false, indexed);
  } else if (!compatible) {
    index_own(call, rebuild, indexed);
  } else if (rebuild) {
    st_convert_to_compatible(call, true, indexed);
  } else {
    st_fail(call, STELE_UNSUPPORTED, NULL, "the search tables are in the store itself, kept up to date by every write");
    st_hint(call, "`stele reindex` makes them anew; `stele reindex --mode stele` takes them off the path of the writes");
  }
}
