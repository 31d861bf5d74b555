/* embedding_due.c - what the indexer has met gets its embedding, or loses it.  See embedding.h. */
#include <string.h>

#include "recall/embedding_page.h"
#include "search/due.h"
#include "search/meaning.h"
#include "search/sources.h"

/* The rows of one kind that are due; places: which of the notes each is.  Those that are gone are in no page. */
static void read_due(st_call *call, const char *kind, const st_due *due, int count, bool *taken, st_embed_page *p, int *places) {
  st_value ids[ST_PAGE_ROWS];
  int wanted = 0, from[ST_PAGE_ROWS];
  st_document *documents = st_call_alloc(call, ST_PAGE_ROWS * sizeof *documents);
  p->count = 0;
  for (int i = 0; i < count; i++) {
    if (taken[i] || strcmp(due[i].kind, kind) != 0) continue;
    taken[i] = true;
    from[wanted] = i;
    ids[wanted++] = st_textz(due[i].id);
  }
  if (documents) st_documents_read(call, kind, ids, (size_t)wanted, documents);
  for (int i = 0; i < wanted && st_ok(call); i++) {
    if (documents[i].id.type <= ST_NULL) continue;
    p->ids[p->count] = documents[i].id;
    places[p->count] = from[i];
    p->documents[p->count++] = documents[i];
  }
}

static void forget_gone(st_call *call, const st_due *due, int count, const bool *there) {
  bool any = false;
  for (int i = 0; i < count; i++) any = any || !there[i];
  if (!any) return;
  st_call_begin(call, true);
  for (int i = 0; i < count && st_ok(call); i++)
    if (!there[i]) st_meaning_forget(call, due[i].kind, due[i].id, ST_ORIGIN_ANY);
  st_call_end(call);
}

/* What the file said of rows that were changed may be another vector now, which is then taken. */
static void renew_copies(st_call *call, const st_findable *source, const st_embed_page *p) {
  int64_t forgotten = 0;
  if (!st_meaning_own(call, "file_vectors")) return;
  st_call_begin(call, true);
  for (int i = 0; i < p->count && st_ok(call); i++) forgotten += st_meaning_forget(call, source->kind, p->ids[i].bytes, ST_ORIGIN_FILE);
  st_call_end(call);
  if (forgotten) st_embed_take(call);
}

/* Without an embedder: what one has embedded before waits for it. */
static void leave_made(st_call *call, const st_findable *source, st_embed_page *p) {
  bool made[ST_PAGE_ROWS];
  st_meaning_made(call, source->kind, p->ids, (size_t)p->count, made);
  for (int i = 0; i < p->count; i++) p->settled[i] = !made[i];
}

/* What is left of a batch stays noted: it failed, or the limit was reached. */
static void settle(st_call *call, const st_due *due, int count, const bool *left) {
  st_due settled[ST_PAGE_ROWS];
  int n = 0;
  for (int i = 0; i < count; i++)
    if (!left[i]) settled[n++] = due[i];
  st_due_settle(call, settled, n);
}

static void see_to(st_call *call, const st_due *due, int count, st_embed_work *work, st_embed_counts *counts) {
  st_embed_page *p = st_call_alloc(call, sizeof *p);
  bool taken[ST_PAGE_ROWS] = {false}, there[ST_PAGE_ROWS] = {false}, left[ST_PAGE_ROWS] = {false};
  int places[ST_PAGE_ROWS];
  for (int i = 0; i < count && st_ok(call); i++) {
    const st_findable *source = st_source_find(call->store->store, due[i].kind);
    if (taken[i] || !source || !st_source_is_there(call, source)) continue;
    read_due(call, source->kind, due, count, taken, p, places);
    if (st_ok(call)) renew_copies(call, source, p);
    if (st_ok(call) && work->embedder) st_embed_page_work(call, source, work, p, counts);
    else if (st_ok(call)) leave_made(call, source, p);
    for (int row = 0; row < p->count; row++) {
      there[places[row]] = true;
      left[places[row]] = !p->settled[row];
    }
  }
  if (st_ok(call)) forget_gone(call, due, count, there);
  settle(call, due, count, left);
}

void st_embed_due(st_call *part, st_embed_work *work, st_embed_counts *counts) {
  st_arena arena, *own = part->arena;
  int64_t after = 0;
  int count = 1;
  *counts = (st_embed_counts){.done = 0};
  st_arena_init(&arena, ST_PAGE_MEMORY);
  part->arena = &arena; /* of one batch */
  while (st_ok(part) && count > 0 && !work->stopped[0] && work->done < work->limit) {
    st_due due[ST_PAGE_ROWS];
    count = st_due_list(part, after, ST_PAGE_ROWS, due);
    if (count > 0) {
      after = due[count - 1].number;
      see_to(part, due, count, work, counts);
      st_embed_tell(part, "what is new", work);
    }
    st_arena_reset(&arena);
  }
  part->arena = own;
  st_arena_free(&arena);
}
