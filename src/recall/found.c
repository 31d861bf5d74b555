/* found.c - see found.h. */
#include "recall/found.h"

#include <stdlib.h>
#include <string.h>

#include "search/fuse.h"
#include "search/sources.h"

#define WORDS 1.0
#define MEANING 0.5 /* the weights of the lists */

const st_findable *st_recalled_kind(const st_asked_stores *asked, const st_recalled *row) {
  return st_source_find(asked->stores[row->store].part.store->store, row->kind);
}

bool st_recalled_same(const st_recalled *one, const st_recalled *other) {
  return one->store == other->store && strcmp(one->kind, other->kind) == 0 && strcmp(one->id, other->id) == 0;
}

st_recalled *st_recalled_more(st_call *call, st_recalled_list *list, int count) {
  st_recalled *rows = st_call_alloc(call, ((size_t)list->count + (size_t)count + 1) * sizeof *rows);
  if (!rows) return NULL;
  if (list->count) memcpy(rows, list->rows, (size_t)list->count * sizeof *rows);
  *list = (st_recalled_list){rows, list->count + count};
  return rows + list->count - count;
}

/* ---- One list ---- */

static int by_score(const void *a, const void *b) {
  const st_recalled *one = a, *other = b;
  if (one->score != other->score) return one->score > other->score ? -1 : 1;
  if (one->store != other->store) return one->store - other->store;
  size_t length = strlen(one->id), other_length = strlen(other->id);
  if (length != other_length) return length < other_length ? -1 : 1; /* of numbers the earlier one first */
  return strcmp(one->id, other->id);
}

void st_recalled_fuse(st_call *call, st_recalled_list *list) {
  size_t room = (size_t)list->count + 1;
  double *scores = st_call_alloc(call, 3 * room * sizeof *scores);
  int *ranks = st_call_alloc(call, 2 * room * sizeof *ranks);
  if (!st_ok(call)) return;
  const st_arm arms[] = {{WORDS, scores, ranks}, {MEANING, scores + room, ranks + room}};
  for (int i = 0; i < list->count; i++) {
    scores[i] = list->rows[i].by_words;
    scores[room + (size_t)i] = list->rows[i].by_meaning;
  }
  if (!st_fuse_arms(arms, 2, list->count, scores + 2 * room)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  for (int i = 0; st_ok(call) && i < list->count; i++) {
    list->rows[i].words_rank = ranks[i];
    list->rows[i].meaning_rank = ranks[room + (size_t)i];
    list->rows[i].score = scores[2 * room + (size_t)i] * list->rows[i].recency;
  }
  if (list->count) qsort(list->rows, (size_t)list->count, sizeof *list->rows, by_score);
}

/* ---- Reading ---- */

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
    g->rows[i].time = st_seconds(part, &g->rows[i].document.time);
  }
}

void st_recalled_read(st_asked_stores *asked, st_recalled *rows, int count) {
  for (int i = 0; i < count; i++) {
    group g = {rows, count, rows[i].store, rows[i].kind};
    if (rows[i].document.id.type == ST_ABSENT && rows[i].store >= 0) st_asked_run(asked, rows[i].store, read_group, &g);
    if (rows[i].document.id.type == ST_ABSENT) rows[i].document.id.type = ST_NULL; /* its store is not there */
  }
  for (int i = 0; i < count; i++) /* what was passed over tells nothing, not even what it told before it failed */
    if (rows[i].store >= 0 && asked->stores[rows[i].store].failed) rows[i].document.id.type = ST_NULL;
}
