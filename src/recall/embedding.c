/* embedding.c - see embedding.h. */
#include "recall/embedding.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "embed/handle.h"
#include "engine/handle.h"
#include "recall/passage.h"
#include "search/due.h"
#include "search/meaning.h"
#include "search/sources.h"

#define BATCH 64
#define ARENA_MAX ((size_t)256 << 20)
#define TRIES 20        /* of a write, after conflicts */
#define FAILURES_MAX 10 /* one after another, and it is not the rows' fault */
#define NAP_US 50000

/* Rows of one page. */
typedef struct page {
  st_document documents[BATCH];
  st_value ids[BATCH];
  int count;
  /* Of these, what is to be embedded: */
  int rows[BATCH];
  st_passage passages[BATCH];
  float *vectors;
  bool embedded[BATCH];
  int wanted;
  bool settled[BATCH]; /* by row: there is nothing left to do for it */
  bool emptied[BATCH]; /* it says nothing any more, but has an embedding of what it said */
} page;

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

/* ---- Reading ---- */

static void read_page(st_call *call, const st_findable *source, const st_value *after, page *p) {
  enum { AFTER, LIMIT };
  st_value args[] = {[AFTER] = *after, [LIMIT] = st_int(BATCH)}, v[ST_SOURCE_RESULTS];
  st_rows rows;
  p->count = p->wanted = 0;
  st_rows_start(call, &rows, source->page_method, args);
  while (p->count < BATCH && st_rows_next(call, &rows)) {
    st_rows_keep(call, &rows, v);
    p->ids[p->count] = v[ST_SOURCE_ID];
    p->documents[p->count++] = (st_document){.id = v[ST_SOURCE_ID], .title = v[ST_SOURCE_TITLE], .text = v[ST_SOURCE_TEXT],
                                             .extra = {.type = ST_NULL}, .kind = source->kind};
  }
  st_rows_end(call, &rows);
}

/* Those without an embedding of the text that they have now. */
static void choose(st_call *call, const st_findable *source, const st_embed_work *work, page *p, st_embed_counts *counts) {
  uint64_t hashes[BATCH];
  bool known[BATCH];
  st_meaning_known(call, source->kind, p->ids, (size_t)p->count, work->dimension, hashes, known);
  for (int i = 0; i < p->count && st_ok(call); i++) {
    st_passage passage = st_passage_of(call, &p->documents[i]);
    bool current = known[i] && hashes[i] == passage.hash, empty = !current && passage.length == 0;
    p->settled[i] = current || empty;
    p->emptied[i] = known[i] && empty;
    counts->empty += empty;
    if (p->settled[i]) continue;
    p->rows[p->wanted] = i;
    p->passages[p->wanted] = passage;
    p->embedded[p->wanted++] = false;
  }
}

/* ---- Embedding ---- */

static bool embed_some(const st_embed_work *work, page *p, int from, int count, char problem[400]) {
  const char *texts[BATCH] = {0};
  size_t lengths[BATCH] = {0};
  for (int i = 0; i < count; i++) {
    texts[i] = p->passages[from + i].text;
    lengths[i] = p->passages[from + i].length;
  }
  return st_embed(work->embedder, texts, lengths, (size_t)count, p->vectors + (size_t)from * work->dimension, problem, 400);
}

static void note_failure(st_embed_work *work, const page *p, int at, const char *problem, st_embed_counts *counts) {
  counts->failed++;
  if (!counts->problem[0])
    snprintf(counts->problem, sizeof counts->problem, "%.80s: %.300s", p->ids[p->rows[at]].bytes, problem);
  if (++work->failures >= FAILURES_MAX) snprintf(work->stopped, sizeof work->stopped, "%s", problem);
}

/* All at once; if that fails, one by one, so that one row does not stand in the way of the others. */
static void embed(st_embed_work *work, page *p, int count, st_embed_counts *counts) {
  char problem[400] = "";
  bool whole = embed_some(work, p, 0, count, problem);
  for (int i = 0; i < count && !work->stopped[0]; i++) {
    p->embedded[i] = whole || embed_some(work, p, i, 1, problem);
    if (p->embedded[i]) work->failures = 0;
    else note_failure(work, p, i, problem, counts);
  }
}

static bool points(const float *vector, size_t dimension) {
  for (size_t i = 0; i < dimension; i++)
    if (vector[i] != 0) return true;
  return false;
}

/* ---- Writing ---- */

static void write_once(st_call *call, const st_findable *source, const st_embed_work *work, const page *p, int count,
                       st_embed_counts *counts) {
  st_call_begin(call, true);
  for (int i = 0; i < count && st_ok(call); i++) {
    const float *vector = p->vectors + (size_t)i * work->dimension;
    if (!p->embedded[i]) continue;
    if (!points(vector, work->dimension)) { /* it has no word that the model knows */
      st_meaning_forget(call, source->kind, p->ids[p->rows[i]].bytes);
      counts->empty++;
      continue;
    }
    st_meaning_keep(call, source->kind, p->ids[p->rows[i]].bytes, st_embedder_model(work->embedder), vector, work->dimension,
                    p->passages[i].hash);
    counts->done++;
  }
  st_call_end(call);
}

static void keep(st_call *call, const st_findable *source, st_embed_work *work, page *p, int count, st_embed_counts *counts) {
  for (unsigned tries = 0;; tries++) {
    st_embed_counts after = *counts;
    write_once(call, source, work, p, count, &after);
    if (st_ok(call)) {
      work->done += after.done - counts->done;
      *counts = after;
      for (int i = 0; i < count; i++) p->settled[p->rows[i]] = p->embedded[i];
    }
    if (st_ok(call) || !call->again || tries == TRIES) return;
    *call->error = (st_error){.status = STELE_OK};
    call->again = false;
    usleep(1000u << (tries < 7 ? tries : 7));
  }
}

/* ---- All together ---- */

static void check_stopped(st_call *call, const char *kind, const st_embed_work *work) {
  const stele_db *db = call->db;
  char what[100];
  snprintf(what, sizeof what, "embed %s %s", call->store->store->name, kind);
  bool stopped = atomic_load_explicit(&db->interrupted, memory_order_relaxed);
  if (st_ok(call) && (stopped || (db->progress && db->progress(db->user, what, work->done, 0) != 0)))
    st_fail(call, STELE_CANCELLED, NULL, "embedding was stopped; what is done stays done");
}

/* No more than so many in a second. */
static void pace(st_call *call, const char *kind, const st_embed_work *work) {
  if (work->rate <= 0) return;
  int64_t until = work->began_ms + (int64_t)((double)work->done * 1000 / work->rate);
  while (st_ok(call) && st_monotonic_ms() < until) {
    usleep(NAP_US);
    check_stopped(call, kind, work);
  }
}

/* How many at once: at a low rate not all of a minute's. */
static int portion(const st_embed_work *work, const page *p) {
  int64_t left = work->limit - work->done;
  int count = work->rate > 0 && work->rate < BATCH ? (int)work->rate + 1 : BATCH;
  if (count > p->wanted) count = p->wanted;
  return left < count ? (int)(left > 0 ? left : 0) : count;
}

/* What is done of a page is taken off its front. */
static void shift(page *p, int count) {
  p->wanted -= count;
  memmove(p->rows, p->rows + count, (size_t)p->wanted * sizeof *p->rows);
  memmove(p->passages, p->passages + count, (size_t)p->wanted * sizeof *p->passages);
}

static void forget_emptied(st_call *call, const st_findable *source, const page *p) {
  bool any = false;
  for (int i = 0; i < p->count; i++) any = any || p->emptied[i];
  if (!any) return;
  st_call_begin(call, true);
  for (int i = 0; i < p->count && st_ok(call); i++)
    if (p->emptied[i]) st_meaning_forget(call, source->kind, p->ids[i].bytes);
  st_call_end(call);
}

static void work_on(st_call *call, const st_findable *source, st_embed_work *work, page *p, st_embed_counts *counts) {
  if (!work->dry) forget_emptied(call, source, p);
  p->vectors = st_call_alloc(call, (BATCH * work->dimension + 1) * sizeof *p->vectors);
  while (st_ok(call) && p->wanted > 0) {
    int count = work->dry || work->stopped[0] ? 0 : portion(work, p);
    if (count == 0) break;
    memset(p->embedded, 0, sizeof p->embedded);
    embed(work, p, count, counts);
    keep(call, source, work, p, count, counts);
    shift(p, count);
    if (st_ok(call)) pace(call, source->kind, work);
  }
  counts->remaining += p->wanted;
}

void st_embed_source(st_call *part, const st_findable *source, st_embed_work *work, st_embed_counts *counts) {
  st_arena arena, *own = part->arena;
  st_value after = {.type = ST_ABSENT};
  page *p = st_call_alloc(part, sizeof *p);
  char *key = st_call_alloc(part, 4096);
  *counts = (st_embed_counts){.done = 0};
  if (!st_ok(part) || !st_source_is_there(part, source)) return;
  st_arena_init(&arena, ARENA_MAX);
  part->arena = &arena; /* of one page */
  do {
    read_page(part, source, &after, p);
    if (st_ok(part)) choose(part, source, work, p, counts);
    if (st_ok(part)) work_on(part, source, work, p, counts);
    check_stopped(part, source->kind, work);
    if (!st_ok(part) || p->count < BATCH) break;
    snprintf(key, 4096, "%s", p->ids[p->count - 1].bytes);
    after = st_source_key(source, key, strlen(key));
    st_arena_reset(&arena);
  } while (st_ok(part));
  part->arena = own;
  st_arena_free(&arena);
}

/* ---- What is due ---- */

/* The rows of one kind that are due; places: which of the notes each is.  Those that are gone are in no page. */
static void read_due(st_call *call, const char *kind, const st_due *due, int count, bool *taken, page *p, int *places) {
  st_value ids[BATCH];
  int wanted = 0, from[BATCH];
  st_document *documents = st_call_alloc(call, BATCH * sizeof *documents);
  p->count = p->wanted = 0;
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
    p->settled[p->count] = false;
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
    if (!there[i]) st_meaning_forget(call, due[i].kind, due[i].id);
  st_call_end(call);
}

/* What is left of a batch stays noted: it failed, or the limit was reached. */
static void settle(st_call *call, const st_due *due, int count, const bool *left) {
  st_due settled[BATCH];
  int n = 0;
  for (int i = 0; i < count; i++)
    if (!left[i]) settled[n++] = due[i];
  st_due_settle(call, settled, n);
}

static void see_to(st_call *call, const st_due *due, int count, st_embed_work *work, st_embed_counts *counts) {
  page *p = st_call_alloc(call, sizeof *p);
  bool taken[BATCH] = {false}, there[BATCH] = {false}, left[BATCH] = {false};
  int places[BATCH];
  for (int i = 0; i < count && st_ok(call); i++) {
    const st_findable *source = st_source_find(call->store->store, due[i].kind);
    if (taken[i] || !source || !st_source_is_there(call, source)) continue;
    read_due(call, source->kind, due, count, taken, p, places);
    if (st_ok(call)) choose(call, source, work, p, counts);
    if (st_ok(call)) work_on(call, source, work, p, counts);
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
  st_arena_init(&arena, ARENA_MAX);
  part->arena = &arena; /* of one batch */
  while (st_ok(part) && count > 0 && !work->stopped[0] && work->done < work->limit) {
    st_due due[BATCH];
    count = st_due_list(part, after, BATCH, due);
    if (count > 0) {
      after = due[count - 1].number;
      see_to(part, due, count, work, counts);
      check_stopped(part, "what is new", work);
    }
    st_arena_reset(&arena);
  }
  part->arena = own;
  st_arena_free(&arena);
}
