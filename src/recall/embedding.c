/* embedding.c - see embedding.h. */
#include "recall/embedding.h"

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "embed/handle.h"
#include "recall/embedding_page.h"
#include "search/sources.h"

bool st_embed_begin(st_call *call, st_embed_work *work, const char **why) {
  st_problem problem = {.text = ""};
  *work = (st_embed_work){.embedder = st_handle_embedder(call, &problem), .limit = INT64_MAX, .began_ms = st_monotonic_ms()};
  *why = work->embedder ? NULL : st_call_text(call, problem.text, strlen(problem.text)).bytes;
  if (!work->embedder) return false;
  work->dimension = st_embedder_dimension(work->embedder);
  work->rate = st_embedder_rate(work->embedder);
  if (!work->dimension) *why = "the endpoint does not answer: stele.embed_texts says why";
  return work->dimension > 0;
}

static void read_page(st_call *call, const st_findable *source, const st_value *after, st_embed_page *p) {
  enum { AFTER, LIMIT };
  st_value args[] = {[AFTER] = *after, [LIMIT] = st_int(ST_PAGE_ROWS)}, v[ST_SOURCE_RESULTS];
  st_rows rows;
  p->count = 0;
  st_rows_start(call, &rows, source->page_method, args);
  while (p->count < ST_PAGE_ROWS && st_rows_next(call, &rows)) {
    st_rows_keep(call, &rows, v);
    p->ids[p->count] = v[ST_SOURCE_ID];
    p->documents[p->count++] = (st_document){.id = v[ST_SOURCE_ID], .title = v[ST_SOURCE_TITLE], .text = v[ST_SOURCE_TEXT],
                                             .extra = {.type = ST_NULL}, .kind = source->kind};
  }
  st_rows_end(call, &rows);
}

void st_embed_source(st_call *part, const st_findable *source, st_embed_work *work, st_embed_counts *counts) {
  st_arena arena, *own = part->arena;
  st_value after = {.type = ST_ABSENT};
  st_embed_page *p = st_call_alloc(part, sizeof *p);
  char *key = st_call_alloc(part, 4096);
  *counts = (st_embed_counts){.done = 0};
  if (!st_ok(part) || !st_source_is_there(part, source)) return;
  st_arena_init(&arena, ST_PAGE_MEMORY);
  part->arena = &arena; /* of one st_embed_page */
  do {
    read_page(part, source, &after, p);
    if (st_ok(part)) st_embed_page_work(part, source, work, p, counts);
    st_embed_tell(part, source->kind, work);
    if (!st_ok(part) || p->count < ST_PAGE_ROWS) break;
    snprintf(key, 4096, "%s", p->ids[p->count - 1].bytes);
    after = st_source_key(source, key, strlen(key));
    st_arena_reset(&arena);
  } while (st_ok(part));
  part->arena = own;
  st_arena_free(&arena);
}
