/* seen.c - see seen.h. */
#include "recall/seen.h"

#include <string.h>

#include "recall/shown.h"
#include "search/sources.h"

static bool is_among(const st_value *list, const st_value *text) {
  for (uint32_t i = 0; text->type == ST_TEXT && i < list->count; i++)
    if (strcmp(list->items[i].bytes, text->bytes) == 0) return true;
  return false;
}

/* What the refs name: the stores, for st_asked_open(), and a row each, without its place among the stores. */
static void take_apart(st_call *call, const char *field, const st_value *refs, st_value *stores, st_recalled *rows) {
  st_value *items = st_call_alloc(call, (refs->count + 1) * sizeof *items);
  *stores = (st_value){.type = ST_LIST, .items = items, .count = refs->count, .width = 1};
  for (uint32_t i = 0; i < refs->count && st_ok(call); i++) {
    const char *store, *kind, *id;
    const st_store *of = NULL;
    bool whole = st_ref_read(call, &refs->items[i], &store, &kind, &id);
    if (whole) of = st_store_find(store, NULL);
    if (!of || !st_source_find(of, kind)) {
      st_fail(call, STELE_INVALID, field, "%s %.200s names nothing that can be found", field, refs->items[i].bytes);
      st_hint(call, "a ref is store/kind/id, as recall.search tells it");
      return;
    }
    items[i] = st_textz(store);
    rows[i] = (st_recalled){.kind = kind, .id = id};
  }
}

void st_seen_read(st_call *call, const char *field, const st_value *refs, const st_value *sessions, st_asked_stores *asked,
                  st_recalled *rows) {
  st_wanted wanted = ST_WANTED_ALL;
  st_value stores;
  take_apart(call, field, refs, &stores, rows);
  wanted.stores = &stores;
  wanted.sessions = sessions; /* every kind: who may see it is asked of each row */
  if (st_ok(call)) st_asked_open(call, &wanted, asked);
  for (uint32_t i = 0; i < refs->count && st_ok(call); i++) rows[i].store = st_asked_find_store(asked, stores.items[i].bytes);
  if (!st_ok(call)) return;
  st_recalled_read(asked, rows, (int)refs->count);
  for (uint32_t i = 0; i < refs->count && st_ok(call); i++) {
    st_document *document = &rows[i].document;
    if (document->id.type <= ST_NULL || !st_recalled_kind(asked, &rows[i])->mark) continue;
    if (!is_among(sessions, &document->session)) document->id.type = ST_NULL;
  }
}
