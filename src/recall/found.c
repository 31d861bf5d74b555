/* found.c - see found.h. */
#include "recall/found.h"

#include <string.h>

#include "search/sources.h"

const st_findable *st_recalled_kind(const st_asked_stores *asked, const st_recalled *row) {
  return st_source_find(asked->stores[row->store].part.store->store, row->kind);
}

/* Those of one store and kind. */
typedef struct group {
  st_recalled *rows;
  int count;
  int store;
  const char *kind;
} group;

static bool belongs(const group *g, const st_recalled *row) {
  return row->store == g->store && strcmp(row->kind, g->kind) == 0;
}

static void read_group(st_asked_store *store, void *with) {
  const group *g = with;
  st_call *part = &store->part;
  st_value *ids = st_call_alloc(part, (size_t)g->count * sizeof *ids);
  st_document *documents = st_call_alloc(part, (size_t)g->count * sizeof *documents);
  size_t count = 0;
  for (int i = 0; st_ok(part) && i < g->count; i++)
    if (belongs(g, &g->rows[i])) ids[count++] = st_textz(g->rows[i].id);
  st_documents_read(part, g->kind, ids, count, documents);
  for (int i = 0, at = 0; st_ok(part) && i < g->count; i++) {
    if (!belongs(g, &g->rows[i])) continue;
    g->rows[i].document = documents[at++];
    g->rows[i].time = st_source_seconds(part, &g->rows[i].document.time);
  }
}

void st_recalled_read(st_asked_stores *asked, st_recalled *rows, int count) {
  for (int i = 0; i < count; i++) {
    group g = {rows, count, rows[i].store, rows[i].kind};
    if (rows[i].document.id.type == ST_ABSENT && rows[i].store >= 0) st_asked_run(asked, rows[i].store, read_group, &g);
    if (rows[i].document.id.type == ST_ABSENT) rows[i].document.id.type = ST_NULL; /* its store is not there, or failed */
  }
}
