/* documents.c - see documents.h. */
#include "search/documents.h"

#include <stdio.h>
#include <string.h>

#include "engine/feature.h"
#include "registry_ids.h"
#include "search/allowed.h"
#include "search/documents_filter.h"
#include "search/documents_messages.h"
#include "search/documents_postgres.h"
#include "search/find_index.h"
#include "search/index_file.h"
#include "search/numbering.h"
#include "search/sources.h"

#define CHUNK 256 /* documents that are read at once */

/* ---- Which ---- */

static bool is_empty(const st_value *list) { return list && list->count == 0; }

bool st_documents_possible(st_call *call, const st_document_filter *filter) {
  const st_store *store = call->store->store;
  bool some = false;
  st_features_ensure(call);
  if (!st_ok(call) || is_empty(filter->roles) || is_empty(filter->sessions) || is_empty(filter->projects)) return false;
  for (uint16_t i = 0; i < store->nsources; i++) {
    st_value kind = st_textz(store->sources[i].kind);
    some = some || st_list_has(filter->kinds, &kind);
  }
  return some;
}

st_filter st_documents_filter(st_call *call, const st_document_filter *filter) {
  if (st_sources_numbered(call->store->store)) return st_messages_filter(call, filter);
  st_filter own = {.roles = filter->roles, .kinds = filter->kinds, .projects = filter->projects, .since = filter->since, .until = filter->until};
  if (!filter->sessions) return own;
  const char **sessions = st_call_alloc(call, (filter->sessions->count + 1u) * sizeof *sessions);
  for (uint32_t i = 0; sessions && i < filter->sessions->count; i++) sessions[i] = filter->sessions->items[i].bytes;
  own.sessions = sessions;
  own.nsessions = filter->sessions->count;
  return own;
}

/* ---- Telling what was found ---- */

static const char *number_text(st_call *call, int64_t number) {
  char text[24];
  int length = snprintf(text, sizeof text, "%lld", (long long)number);
  return st_call_copy(call, text, (size_t)length);
}

/* What the store calls it.  False: it was deleted a moment ago. */
static bool name_hit(st_call *call, st_document_hit *hit) {
  const st_store *store = call->store->store;
  st_index *index = call->store->attached;
  uint16_t kind = 0;
  int code = st_index_document(index, call->arena, hit->doc, &kind, &hit->id);
  if (kind == 0) st_index_refresh(call, index);
  st_rowinfo row;
  bool there = st_rowinfos_get(&index->rows, hit->doc, &row);
  if (code == SQLITE_OK && kind == 0 && !there) return false;
  if (code != SQLITE_OK || kind == 0 || kind > store->nsources || !there) {
    st_index_fail(call, index, code != SQLITE_OK ? code : SQLITE_CORRUPT);
    return false;
  }
  hit->kind = store->sources[kind - 1].kind;
  hit->time = row.time;
  return true;
}

static void name_message(st_call *call, st_document_hit *hit) {
  hit->kind = call->store->store->sources[0].kind;
  hit->id = number_text(call, hit->doc);
}

static void tell(st_call *call, const st_found *from, st_documents_found *found) {
  bool messages = st_sources_numbered(call->store->store);
  *found = (st_documents_found){.matches = from->matches};
  if (!st_ok(call)) return;
  found->hits = st_call_alloc(call, ((size_t)from->count + 1) * sizeof *found->hits);
  for (int i = 0; i < from->count && st_ok(call); i++) {
    st_document_hit *hit = &found->hits[found->count];
    *hit = (st_document_hit){.doc = from->hits[i].id, .score = from->hits[i].score, .time = from->hits[i].time};
    if (messages) name_message(call, hit);
    if (messages || name_hit(call, hit)) found->count++;
  }
}

/* ---- Finding ---- */

/* What is asked: with a query, or without. */
typedef struct asked {
  const st_query *query; /* NULL: a list */
  const st_document_filter *filter;
  st_order order;
  int k;
} asked;

static bool is_postgres(const st_call *call) { return call->store->driver->engine == ST_POSTGRES; }

static void ask_messages(st_call *call, const asked *a, st_documents_found *found) {
  st_found hits = {0};
  if (a->query)
    st_messages_find(call, a->query, a->filter, a->order, a->k, &hits);
  else
    st_messages_list(call, a->filter, a->order, a->k, &hits);
  tell(call, &hits, found);
}

static void ask_index(st_call *call, const asked *a, st_documents_found *found) {
  st_found hits = {0};
  st_filter own = st_documents_filter(call, a->filter);
  if (a->query)
    st_index_find(call, a->query, &own, a->order, a->k, &hits);
  else
    st_index_list(call, &own, a->order, a->k, &hits);
  tell(call, &hits, found);
}

bool st_documents_complete(st_call *call) {
  int64_t indexed;
  if (!st_ok(call) || !st_documents_noted(call)) return false;
  if (!call->store->target.readonly) st_documents_postgres_catch_up(call, &indexed);
  return st_ok(call);
}

bool st_documents_current(st_call *call) {
  st_value upto = st_int(0), waiting = st_int(0);
  st_features_ensure(call);
  if (!st_ok(call) || !is_postgres(call)) return true;
  st_documents_note(call);
  if (!st_documents_noted(call) || !call->store->target.readonly) return st_documents_noted(call);
  st_one(call, st_shared(call, ST_T_DOCUMENT_BACKLOG), &upto, &waiting);
  return waiting.integer == 0;
}

static void ask_postgres(st_call *call, const asked *a, st_documents_found *found) {
  if (!st_documents_complete(call)) return;
  if (a->query)
    st_documents_postgres_find(call, a->query, a->filter, a->order, a->k, found);
  else
    st_documents_postgres_list(call, a->filter, a->order, a->k, found);
}

static void ask(st_call *call, const asked *a, st_documents_found *found) {
  *found = (st_documents_found){0};
  if (!st_documents_possible(call, a->filter)) return;
  if (st_sources_numbered(call->store->store)) {
    ask_messages(call, a, found);
    return;
  }
  st_documents_note(call);
  if (!st_ok(call)) return;
  if (is_postgres(call)) {
    ask_postgres(call, a, found);
    return;
  }
  ask_index(call, a, found);
  if (st_index_recover(call)) ask_index(call, a, found);
}

void st_documents_find(st_call *call, const st_query *query, const st_document_filter *filter, st_order order, int k,
                       st_documents_found *found) {
  *found = (st_documents_found){0};
  if (query->root->kind != ST_QUERY_EMPTY) ask(call, &(asked){query, filter, order, k}, found);
}

void st_documents_list(st_call *call, const st_document_filter *filter, st_order order, int k, st_documents_found *found) {
  ask(call, &(asked){NULL, filter, order, k}, found);
}

/* ---- Reading ---- */

static void keep(st_call *call, st_rows *rows, const char *kind, st_document *out) {
  st_value v[ST_SOURCE_RESULTS];
  st_rows_keep(call, rows, v);
  *out = (st_document){v[ST_SOURCE_ID],      v[ST_SOURCE_TITLE],   v[ST_SOURCE_TEXT], v[ST_SOURCE_EXTRA], v[ST_SOURCE_TIME],
                       v[ST_SOURCE_PROJECT], v[ST_SOURCE_SESSION], v[ST_SOURCE_ROLE], v[ST_SOURCE_URL],   kind};
}

static void read_chunk(st_call *call, const st_findable *source, const st_value *ids, size_t count, st_document *out) {
  st_value keys[CHUNK], list = {.type = ST_LIST, .items = keys, .count = (uint32_t)count, .width = 1}, id;
  st_rows rows;
  for (size_t i = 0; i < count; i++) keys[i] = ids[i].type == ST_TEXT ? st_source_key(source, ids[i].bytes, ids[i].length) : ids[i];
  st_rows_start(call, &rows, source->rows_method, &list);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_SOURCE_ID, &id);
    for (size_t i = 0; i < count; i++)
      if (ids[i].type == ST_TEXT && strcmp(ids[i].bytes, id.bytes) == 0) keep(call, &rows, source->kind, &out[i]);
  }
  st_rows_end(call, &rows);
}

void st_documents_read(st_call *call, const char *kind, const st_value *ids, size_t count, st_document *out) {
  const st_findable *source = st_source_find(call->store->store, kind);
  st_features_ensure(call);
  for (size_t i = 0; i < count; i++) out[i] = (st_document){.id = {.type = ST_NULL}, .kind = kind};
  if (!source || !st_source_is_there(call, source)) return;
  for (size_t at = 0; at < count && st_ok(call); at += CHUNK)
    read_chunk(call, source, &ids[at], count - at < CHUNK ? count - at : CHUNK, &out[at]);
}

/* ---- Indexing ---- */

void st_documents_index(st_call *call, bool rebuild, int64_t *indexed) {
  *indexed = 0;
  st_features_ensure(call);
  if (!st_ok(call)) return;
  if (st_sources_numbered(call->store->store)) {
    if (rebuild || !st_messages_are_inside(call)) st_messages_index(call, rebuild, indexed);
    return;
  }
  bool unasked = !rebuild && !is_postgres(call) && !call->store->target.in_home && !st_documents_noted(call);
  if (unasked) return; /* another program's file, perhaps: it gets tables of ours only when somebody searches it */
  st_documents_note(call);
  if (!st_ok(call) || !st_documents_noted(call)) return;
  if (is_postgres(call)) {
    if (rebuild) st_documents_postgres_restart(call);
    st_documents_postgres_catch_up(call, indexed);
  } else {
    if (rebuild) st_index_drop(call);
    st_index_complete(call, indexed);
  }
}
