/* inside.c - see inside.h. */
#include "recall/inside.h"

#include <string.h>

#include "recall/shown.h"
#include "search/match.h"

/* Match one, and keep it. */
static void try_one(st_call *part, st_matcher *matcher, const st_document *document, const st_document_hit *hit,
                    st_documents_found *found) {
  st_column columns[ST_SHOWN_COLUMNS];
  if (document->id.type <= ST_NULL) return;
  st_shown_columns(part, document, columns);
  if (!st_ok(part) || !st_match(matcher, columns, ST_SHOWN_COLUMNS)) return;
  double times = 0;
  const st_query *query = st_matcher_query(matcher);
  for (int i = 0; i < query->term_count; i++)
    if (!query->terms[i].negative) times += st_match_times(matcher, &query->terms[i]);
  found->hits[found->count] = *hit;
  found->hits[found->count++].score = times / (times + 1);
}

/* Those of one kind follow each other, so that they are read at one stroke. */
static void read_kind(st_call *part, st_matcher *matcher, const st_documents_found *listed, const char *kind,
                      st_documents_found *found, int k) {
  size_t room = (size_t)listed->count + 1, count = 0;
  st_value *ids = st_call_alloc(part, room * sizeof *ids);
  const st_document_hit **hits = st_call_alloc(part, room * sizeof *hits);
  st_document *documents = st_call_alloc(part, room * sizeof *documents);
  if (!st_ok(part)) return;
  for (int i = 0; i < listed->count; i++) {
    if (strcmp(listed->hits[i].kind, kind) != 0) continue;
    hits[count] = &listed->hits[i];
    ids[count++] = st_textz(listed->hits[i].id);
  }
  st_documents_read(part, kind, ids, count, documents);
  for (size_t i = 0; i < count && st_ok(part) && found->count < k; i++) try_one(part, matcher, &documents[i], hits[i], found);
}

void st_recall_inside_find(st_asked_store *store, const st_query *query, st_order order, int k, st_documents_found *found) {
  st_call *part = &store->part;
  st_matcher *matcher = st_matcher_new(part->arena, query);
  st_documents_found listed;
  *found = (st_documents_found){0};
  if (!matcher) st_fail(part, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(part)) st_documents_list(part, &store->filter, order == ST_ORDER_OLDEST ? order : ST_ORDER_NEWEST, ST_INSIDE_READ, &listed);
  found->hits = st_ok(part) ? st_call_alloc(part, ((size_t)ST_INSIDE_READ + 1) * sizeof *found->hits) : NULL;
  for (uint32_t i = 0; i < store->kinds.count && st_ok(part); i++)
    read_kind(part, matcher, &listed, store->kinds.items[i].bytes, found, k < ST_INSIDE_READ ? k : ST_INSIDE_READ);
  if (st_ok(part) && listed.count == ST_INSIDE_READ)
    st_note(part, "inside of words, of the store %s only the newest %d were looked at", part->store->store->name, ST_INSIDE_READ);
}
