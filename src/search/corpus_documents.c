/* corpus_documents.c - what the sources of a store tell (sql/<store>/sources.sql).  See corpus.h.
**
** First every source is read through, page by page; how far, the index remembers.  Then the changes are followed that
** the store has noted since before that began: what a source does not tell any more of a key is gone. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "engine/feature.h"
#include "registry_ids.h"
#include "search/corpus.h"
#include "search/index_file.h"
#include "search/sources.h"

#define RUN 256 /* changes that are looked up at once */

/* ---- Documents ---- */

/* The row that was just read. */
static st_entry *add_document(st_call *call, st_parcel *p, int source, st_rows *rows) {
  st_value v[ST_SOURCE_RESULTS];
  st_entry *e = st_parcel_add(call, p);
  if (!e) return NULL;
  for (size_t i = 0; i < ST_SOURCE_RESULTS; i++) st_rows_value(call, rows, i, &v[i]);
  e->kind = (uint16_t)(source + 1);
  e->id = st_parcel_copy(call, p, &v[ST_SOURCE_ID]);
  e->text = st_parcel_copy(call, p, &v[ST_SOURCE_TEXT]);
  e->title = st_parcel_copy(call, p, &v[ST_SOURCE_TITLE]);
  e->extra = st_parcel_copy(call, p, &v[ST_SOURCE_EXTRA]);
  e->project = st_parcel_copy(call, p, &v[ST_SOURCE_PROJECT]);
  e->session = st_parcel_copy(call, p, &v[ST_SOURCE_SESSION]);
  e->role = st_parcel_copy(call, p, &v[ST_SOURCE_ROLE]);
  e->time = st_seconds(call, &v[ST_SOURCE_TIME]);
  return e;
}

/* ---- Reading through ---- */

/* The key of the document that was read last, of the source that is being read through. */
static st_value last_read(st_call *call, st_index *index, const st_findable *source) {
  char *text = NULL;
  int code = st_index_get_text(index, call->arena, "after", &text);
  if (code != SQLITE_OK) st_index_fail(call, index, code);
  return text ? st_source_key(source, text, strlen(text)) : (st_value){.type = ST_ABSENT};
}

static void read_page(st_call *call, st_index *index, st_parcel *p) {
  int at = (int)index->marks.sources;
  const st_findable *source = &call->store->store->sources[at];
  st_value args[] = {last_read(call, index, source), st_int(ST_PARCEL_ROWS)};
  bool more = st_source_is_there(call, source), full = false;
  st_rows rows;
  if (more) st_rows_start(call, &rows, source->page_method, args);
  while (more && (more = st_rows_next(call, &rows))) {
    const st_entry *e = add_document(call, p, at, &rows);
    if (e) p->after = e->id.bytes;
    full = p->count == ST_PARCEL_ROWS || p->bytes >= ST_PARCEL_BYTES;
    if (full) break;
  }
  if (st_source_is_there(call, source)) st_rows_end(call, &rows);
  if (full) return;
  p->to.sources++;
  p->after = NULL;
}

/* ---- Following ---- */

/* A change that was noted. */
typedef struct change {
  int64_t number, stamp;
  int source; /* -1: there is none any more */
  st_slice id;
  bool there; /* its document was read */
} change;

static int source_of(const st_store *store, const st_value *kind) {
  for (int i = 0; i < store->nsources; i++)
    if (strcmp(store->sources[i].kind, kind->bytes) == 0) return i;
  return -1;
}

static int read_changes(st_call *call, st_parcel *p, int64_t after, change *out) {
  st_value args[] = {st_int(after), st_int(ST_PARCEL_ROWS)}, number, kind, id, stamp;
  st_rows rows;
  int count = 0;
  st_rows_start(call, &rows, st_shared(call, ST_T_DOCUMENT_CHANGES), args);
  while (count < ST_PARCEL_ROWS && st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_SHARED_DOCUMENT_CHANGES_CHANGE, &number);
    st_rows_value(call, &rows, ST_R_SHARED_DOCUMENT_CHANGES_KIND, &kind);
    st_rows_value(call, &rows, ST_R_SHARED_DOCUMENT_CHANGES_ID, &id);
    st_rows_value(call, &rows, ST_R_SHARED_DOCUMENT_CHANGES_STAMP, &stamp);
    int source = id.type == ST_TEXT ? source_of(call->store->store, &kind) : -1;
    out[count++] = (change){number.integer, stamp.integer, source, st_parcel_copy(call, p, &id), false};
  }
  st_rows_end(call, &rows);
  return count;
}

static int by_id(const void *a, const void *b) {
  const change *one = a, *other = b;
  return strcmp(one->id.bytes, other->id.bytes);
}

/* Sorted by id, each only once. */
static size_t sort_run(change *run, size_t count) {
  size_t kept = 0;
  qsort(run, count, sizeof *run, by_id);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || by_id(&run[kept - 1], &run[i]) != 0) run[kept++] = run[i];
  return kept;
}

static void mark_there(change *run, size_t count, const st_entry *e) {
  change key = {.id = e->id}, *found = bsearch(&key, run, count, sizeof *run, by_id);
  if (found) found->there = true;
}

/* What changes of one source are now. */
static void read_run(st_call *call, st_parcel *p, change *run, size_t count) {
  const st_findable *source = &call->store->store->sources[run->source];
  int at = run->source;
  st_value items[RUN], ids = {.type = ST_LIST, .items = items, .width = 1};
  st_rows rows;
  count = sort_run(run, count);
  ids.count = (uint32_t)count;
  for (size_t i = 0; i < count; i++) items[i] = st_source_key(source, run[i].id.bytes, run[i].id.length);
  if (st_source_is_there(call, source)) {
    st_rows_start(call, &rows, source->rows_method, &ids);
    while (st_rows_next(call, &rows)) {
      const st_entry *e = add_document(call, p, at, &rows);
      if (e) mark_there(run, count, e);
    }
    st_rows_end(call, &rows);
  }
  for (size_t i = 0; i < count && st_ok(call); i++) {
    st_entry *e = run[i].there ? NULL : st_parcel_add(call, p);
    if (!e) continue;
    e->kind = (uint16_t)(at + 1);
    e->id = run[i].id;
    e->gone = true;
  }
}

static void follow(st_call *call, st_index *index, st_parcel *p) {
  change *all = st_arena_zero(&p->arena, ST_PARCEL_ROWS * sizeof *all);
  if (!all) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  int count = read_changes(call, p, index->marks.change_upto, all);
  for (int at = 0, end; at < count && p->bytes < ST_PARCEL_BYTES && st_ok(call); at = end) {
    for (end = at + 1; end < count && end - at < RUN && all[end].source == all[at].source;) end++;
    p->to.change_upto = all[end - 1].number;
    p->to.stamp = all[end - 1].stamp;
    if (all[at].source >= 0) read_run(call, p, &all[at], (size_t)(end - at));
  }
}

/* ---- All together ---- */

typedef struct origin {
  st_value noted, next, stamp, newest;
} origin;

static bool read_origin(st_call *call, int64_t after, origin *out) {
  st_value arg = st_int(after), v[4];
  if (!st_one(call, st_shared(call, ST_T_DOCUMENT_ORIGIN), &arg, v)) return false;
  *out = (origin){v[ST_R_SHARED_DOCUMENT_ORIGIN_NOTED], v[ST_R_SHARED_DOCUMENT_ORIGIN_NEXT],
                  v[ST_R_SHARED_DOCUMENT_ORIGIN_STAMP], v[ST_R_SHARED_DOCUMENT_ORIGIN_NEWEST]};
  return true;
}

/* What is noted from now on is to be followed, when all is read through. */
static void begin(st_call *call, st_parcel *p) {
  origin from;
  if (!st_documents_noted(call) || !read_origin(call, 0, &from)) return;
  p->to.change_upto = from.noted.integer;
  p->to.stamp = from.newest.type == ST_INT ? from.newest.integer : 0;
}

static void read_documents(st_call *call, st_index *index, st_parcel *p) {
  if (index->marks.turn == 0) begin(call, p);
  if (index->marks.sources < call->store->store->nsources)
    read_page(call, index, p);
  else if (st_documents_noted(call))
    follow(call, index, p);
}

static int64_t count_backlog(st_call *call, const st_marks *from, int64_t *changes) {
  st_value arg = st_int(from->change_upto), count = st_int(0);
  st_one(call, st_shared(call, ST_T_DOCUMENT_BACKLOG), &arg, &count);
  *changes = count.integer;
  return from->sources < call->store->store->nsources ? 1 : 0;
}

/* Does it know changes that the store has never had, or had otherwise?  Or does it lack some that are not noted any
** more, because another index of the same store has them?  The last change in an index is noted for long after. */
static bool is_foreign(st_call *call, st_index *index) {
  const st_marks *marks = &index->marks;
  origin from;
  if (marks->turn == 0 || !st_documents_noted(call) || !read_origin(call, marks->change_upto, &from)) return false;
  if (marks->change_upto > from.noted.integer) return true;
  if (marks->change_upto < from.noted.integer && (from.next.type != ST_INT || from.next.integer != marks->change_upto + 1)) return true;
  return from.stamp.type == ST_INT ? from.stamp.integer != marks->stamp : marks->stamp != 0;
}

st_corpus st_corpus_documents(const st_call *call) {
  return (st_corpus){.read = read_documents,
                     .backlog = count_backlog,
                     .is_foreign = is_foreign,
                     .lasts = st_documents_noted(call),
                     .oldest_change = st_shared(call, ST_T_DOCUMENT_OLDEST_CHANGE),
                     .trim = st_shared(call, ST_T_DOCUMENT_TRIM)};
}
