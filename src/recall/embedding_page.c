/* embedding_page.c - see embedding_page.h. */
#include "recall/embedding_page.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "engine/handle.h"
#include "engine/retry.h"
#include "search/meaning.h"

#define FAILURES_MAX 10 /* one after another, and it is not the rows' fault */
#define NAP_US 50000

/* Those without an embedding of the text that they have now.  What was brought in their place stays. */
static void choose(st_call *call, const st_findable *source, const st_embed_work *work, st_embed_page *p, st_embed_counts *counts) {
  st_meaning_known known[ST_PAGE_ROWS];
  st_meaning_look(call, source->kind, p->ids, (size_t)p->count, work->dimension, known);
  for (int i = 0; i < p->count && st_ok(call); i++) {
    st_passage passage = st_passage_of(call, &p->documents[i]);
    bool brought = known[i].origin == ST_ORIGIN_CALLER || known[i].origin == ST_ORIGIN_FILE;
    bool current = brought || (known[i].origin == ST_ORIGIN_MODEL && known[i].text_hash == passage.hash);
    bool empty = !current && passage.length == 0;
    p->settled[i] = current || empty;
    p->emptied[i] = known[i].origin == ST_ORIGIN_MODEL && empty;
    counts->empty += empty;
    if (p->settled[i]) continue;
    p->rows[p->wanted] = i;
    p->passages[p->wanted] = passage;
    p->embedded[p->wanted++] = false;
  }
}

/* ---- Embedding ---- */

static bool embed_some(const st_embed_work *work, st_embed_page *p, int from, int count, char problem[400]) {
  const char *texts[ST_PAGE_ROWS] = {0};
  size_t lengths[ST_PAGE_ROWS] = {0};
  for (int i = 0; i < count; i++) {
    texts[i] = p->passages[from + i].text;
    lengths[i] = p->passages[from + i].length;
  }
  return st_embed(work->embedder, texts, lengths, (size_t)count, p->vectors + (size_t)from * work->dimension, problem, 400);
}

static void note_failure(st_embed_work *work, const st_embed_page *p, int at, const char *problem, st_embed_counts *counts) {
  counts->failed++;
  if (!counts->problem[0])
    snprintf(counts->problem, sizeof counts->problem, "%.80s: %.300s", p->ids[p->rows[at]].bytes, problem);
  if (++work->failures >= FAILURES_MAX) snprintf(work->stopped, sizeof work->stopped, "%s", problem);
}

/* All at once; if that fails, one by one, so that one row does not stand in the way of the others. */
static void embed(st_embed_work *work, st_embed_page *p, int count, st_embed_counts *counts) {
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

static void write_once(st_call *call, const st_findable *source, const st_embed_work *work, const st_embed_page *p, int count,
                       st_embed_counts *counts) {
  st_call_begin(call, true);
  for (int i = 0; i < count && st_ok(call); i++) {
    const float *vector = p->vectors + (size_t)i * work->dimension;
    if (!p->embedded[i]) continue;
    if (!points(vector, work->dimension)) { /* it has no word that the model knows */
      st_meaning_forget(call, source->kind, p->ids[p->rows[i]].bytes, ST_ORIGIN_MODEL);
      counts->empty++;
      continue;
    }
    st_meaning_keep(call, &(st_embedding){.kind = source->kind, .id = p->ids[p->rows[i]].bytes, .model = st_embedder_model(work->embedder),
                                          .vector = vector, .dimension = work->dimension, .text_hash = p->passages[i].hash,
                                          .origin = ST_ORIGIN_MODEL});
    counts->done++;
  }
  st_call_end(call);
}

static void keep(st_call *call, const st_findable *source, st_embed_work *work, st_embed_page *p, int count, st_embed_counts *counts) {
  st_retry retry = st_retry_begin(call->db);
  do {
    st_embed_counts after = *counts;
    write_once(call, source, work, p, count, &after);
    if (st_ok(call)) {
      work->done += after.done - counts->done;
      *counts = after;
      for (int i = 0; i < count; i++) p->settled[p->rows[i]] = p->embedded[i];
    }
  } while (st_retry_call(&retry, call));
}

/* ---- All together ---- */

void st_embed_tell(st_call *call, const char *kind, const st_embed_work *work) {
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
    st_embed_tell(call, kind, work);
  }
}

/* How many at once: at a low rate not all of a minute's. */
static int portion(const st_embed_work *work, const st_embed_page *p) {
  int64_t left = work->limit - work->done;
  int count = work->rate > 0 && work->rate < ST_PAGE_ROWS ? (int)work->rate + 1 : ST_PAGE_ROWS;
  if (count > p->wanted) count = p->wanted;
  return left < count ? (int)(left > 0 ? left : 0) : count;
}

/* What is done of a page is taken off its front. */
static void shift(st_embed_page *p, int count) {
  p->wanted -= count;
  memmove(p->rows, p->rows + count, (size_t)p->wanted * sizeof *p->rows);
  memmove(p->passages, p->passages + count, (size_t)p->wanted * sizeof *p->passages);
}

static void forget_emptied(st_call *call, const st_findable *source, const st_embed_page *p) {
  bool any = false;
  for (int i = 0; i < p->count; i++) any = any || p->emptied[i];
  if (!any) return;
  st_call_begin(call, true);
  for (int i = 0; i < p->count && st_ok(call); i++)
    if (p->emptied[i]) st_meaning_forget(call, source->kind, p->ids[i].bytes, ST_ORIGIN_MODEL);
  st_call_end(call);
}

void st_embed_page_work(st_call *call, const st_findable *source, st_embed_work *work, st_embed_page *p, st_embed_counts *counts) {
  p->wanted = 0;
  choose(call, source, work, p, counts);
  if (!work->dry) forget_emptied(call, source, p);
  p->vectors = st_call_alloc(call, (ST_PAGE_ROWS * work->dimension + 1) * sizeof *p->vectors);
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
