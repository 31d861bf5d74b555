/* within.c - see within.h. */
#include "search/within.h"

#include "base/number.h"
#include "search/documents_filter.h"
#include "search/find_index.h"
#include "search/form.h"
#include "search/index_file.h"
#include "search/numbering.h"
#include "search/sources.h"

/* The index, where there is one: PostgreSQL has none, nor has a store with the search tables of its format inside. */
static st_index *index_of(st_call *call) {
  const st_store *store = call->store->store;
  if (call->store->driver->engine == ST_POSTGRES) return NULL;
  if (st_sources_numbered(store)) return st_form_compatible(call) ? NULL : st_index_ready(call);
  st_documents_note(call);
  return st_index_ready(call);
}

bool st_within_begin(st_call *call, const st_document_filter *filter, st_within *out) {
  *out = (st_within){.call = call, .filter = filter};
  if (!st_documents_possible(call, filter)) return false;
  out->index = index_of(call);
  if (!out->index) return st_ok(call);
  st_filter own = st_documents_filter(call, filter);
  out->open = st_filter_is_open(&own);
  out->allowed = st_allowed_new(call, out->index, &own);
  return st_ok(call);
}

/* Messages that came after the index, or where there is none, are known by themselves only. */
static bool knows(const st_within *within, int64_t doc) {
  if (!within->index || doc <= 0) return false;
  return !st_sources_numbered(within->call->store->store) || doc <= within->index->marks.upto;
}

bool st_within_number(st_within *within, int64_t doc, bool *known) {
  st_index *index = within->index;
  *known = knows(within, doc);
  bool there = *known && st_allowed_row(within->allowed, &index->rows, doc);
  if (index && index->rows.error != SQLITE_OK) st_index_fail(within->call, index, index->rows.error);
  return there;
}

static bool one_of(const st_value *list, const st_value *text) {
  return !list || (text->type == ST_TEXT && st_list_has(list, text));
}

static bool read_row(st_within *within, const st_value *kind, const st_value *id) {
  const st_document_filter *filter = within->filter;
  st_document row;
  st_documents_read(within->call, kind->bytes, id, 1, &row);
  if (!st_ok(within->call) || row.id.type == ST_NULL) return false;
  double time = st_seconds(within->call, &row.time);
  return one_of(filter->kinds, kind) && one_of(filter->roles, &row.role) && one_of(filter->sessions, &row.session) &&
         one_of(filter->projects, &row.project) && time >= filter->since && time < filter->until;
}

int64_t st_within_document(st_within *within, const st_value *kind, const st_value *id) {
  const st_store *store = within->call->store->store;
  const st_findable *source = st_source_find(store, kind->bytes);
  int64_t number = 0;
  int code = SQLITE_OK;
  if (!source) return 0;
  if (source->numbered) return st_parse_int(id->bytes, id->length, &number) ? number : 0;
  if (!within->index) return 0;
  number = st_index_number_of(within->index, (uint16_t)(source - store->sources + 1), id->bytes, id->length, &code);
  if (code != SQLITE_OK) st_index_fail(within->call, within->index, code);
  return number;
}

bool st_within_row(st_within *within, const st_value *kind, const st_value *id, int64_t *doc) {
  bool known;
  *doc = st_within_document(within, kind, id);
  bool there = st_within_number(within, *doc, &known);
  if (known || (within->index && !st_sources_numbered(within->call->store->store))) return there;
  return st_ok(within->call) && read_row(within, kind, id);
}
