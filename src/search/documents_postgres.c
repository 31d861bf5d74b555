/* documents_postgres.c - see documents_postgres.h. */
#include "search/documents_postgres.h"

#include <string.h>

#include "engine/handle.h"
#include "registry_ids.h"
#include "search/allowed.h"
#include "search/due.h"
#include "search/sources.h"
#include "search/statement.h"
#include "search/tokens.h"

#define BATCH 200
#define BATCH_MEMORY ((size_t)1 << 30)
#define METHOD(name) st_shared(call, ST_T_DOCUMENT_##name)

/* ---- Indexing ---- */

typedef struct noted {
  int64_t number;
  const char *kind, *id;
  bool done;
} noted;

static int read_noted(st_call *call, noted *out) {
  st_value args[] = {st_int(0), st_int(BATCH)}, v[4];
  st_rows rows;
  int count = 0;
  st_rows_start(call, &rows, METHOD(CHANGES), args);
  while (count < BATCH && st_rows_next(call, &rows)) {
    st_rows_keep(call, &rows, v);
    out[count++] = (noted){v[ST_R_SHARED_DOCUMENT_CHANGES_CHANGE].integer, v[ST_R_SHARED_DOCUMENT_CHANGES_KIND].bytes,
                           v[ST_R_SHARED_DOCUMENT_CHANGES_ID].type == ST_TEXT ? v[ST_R_SHARED_DOCUMENT_CHANGES_ID].bytes : NULL, false};
  }
  st_rows_end(call, &rows);
  return count;
}

static void put(st_call *call, st_tsvector *vector, const st_document *d) {
  st_value args[ST_P_SHARED_DOCUMENT_PUT_ROLE + 1];
  st_tokens tokens = st_tokens_write(call, vector, &d->text, &d->title, &d->extra);
  args[ST_P_SHARED_DOCUMENT_PUT_KIND] = st_textz(d->kind);
  args[ST_P_SHARED_DOCUMENT_PUT_ID] = d->id;
  args[ST_P_SHARED_DOCUMENT_PUT_TOKENS] = st_textz(tokens.text);
  args[ST_P_SHARED_DOCUMENT_PUT_LOST] = st_bool(tokens.lost);
  args[ST_P_SHARED_DOCUMENT_PUT_CUT] = st_bool(tokens.cut);
  args[ST_P_SHARED_DOCUMENT_PUT_TIME] = st_real(st_seconds(call, &d->time));
  args[ST_P_SHARED_DOCUMENT_PUT_PROJECT] = d->project;
  args[ST_P_SHARED_DOCUMENT_PUT_SESSION] = d->session;
  args[ST_P_SHARED_DOCUMENT_PUT_ROLE] = d->role;
  st_run(call, METHOD(PUT), args);
}

/* All changes of one kind that are noted, each document once. */
static void index_kind(st_call *call, st_tsvector *vector, noted *all, int count, const char *kind) {
  st_value ids[BATCH];
  st_document *documents = st_call_alloc(call, BATCH * sizeof *documents);
  size_t wanted = 0;
  for (int i = 0; i < count; i++) {
    bool again = all[i].done || strcmp(all[i].kind, kind) != 0;
    if (again) continue;
    all[i].done = true;
    for (size_t j = 0; j < wanted && all[i].id && !again; j++) again = strcmp(ids[j].bytes, all[i].id) == 0;
    if (all[i].id && !again) ids[wanted++] = st_textz(all[i].id);
  }
  if (!documents || !st_source_find(call->store->store, kind)) return;
  st_documents_read(call, kind, ids, wanted, documents);
  for (size_t i = 0; i < wanted && st_ok(call); i++) {
    st_value gone[] = {st_textz(kind), ids[i]};
    if (documents[i].id.type == ST_TEXT)
      put(call, vector, &documents[i]);
    else
      st_run(call, METHOD(FORGET), gone);
    st_due_note(call, kind, ids[i].bytes);
  }
}

static void write_noted(st_call *call, noted *all, int count) {
  st_tsvector *vector = st_call_alloc(call, sizeof *vector);
  st_value numbers[BATCH];
  for (int i = 0; i < count && st_ok(call); i++) {
    numbers[i] = st_int(all[i].number);
    if (!all[i].done) index_kind(call, vector, all, count, all[i].kind);
  }
  st_value done = {.type = ST_LIST, .items = numbers, .count = (uint32_t)count, .width = 1};
  st_run(call, METHOD(DONE), &done);
}

/* How many were indexed. */
static int index_some(st_call *call) {
  noted all[BATCH];
  st_call_begin(call, true);
  if (!st_ok(call)) return 0;
  int count = read_noted(call, all);
  if (count > 0) write_noted(call, all, count);
  st_call_end(call);
  return count;
}

void st_documents_postgres_catch_up(st_call *call, int64_t *indexed) {
  st_arena *outer = call->arena, memory;
  int count = BATCH;
  *indexed = 0;
  st_arena_init(&memory, BATCH_MEMORY);
  call->arena = &memory; /* what a batch needs is freed with it: there may be millions */
  while (count == BATCH && st_ok(call)) {
    *indexed += count = index_some(call);
    if (count > 0) st_index_tell(call, *indexed);
    st_arena_reset(&memory);
  }
  call->arena = outer;
  st_arena_free(&memory);
}

/* Note a page of a source.  The last key, or absent: it was the last page. */
static st_value note_page(st_call *call, const st_findable *source, st_value after) {
  st_value args[] = {after, st_int(BATCH)}, ids[BATCH];
  st_rows rows;
  int count = 0;
  st_rows_start(call, &rows, source->page_method, args);
  while (count < BATCH && st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_SOURCE_ID, &ids[count]);
    ids[count] = st_call_text(call, ids[count].bytes, ids[count].length);
    count++;
  }
  st_rows_end(call, &rows);
  for (int i = 0; i < count; i++) {
    st_value note[] = {st_textz(source->kind), ids[i]};
    st_run(call, METHOD(NOTE), note);
  }
  if (count < BATCH || !st_ok(call)) return (st_value){.type = ST_ABSENT};
  return st_source_key(source, ids[count - 1].bytes, ids[count - 1].length);
}

void st_documents_postgres_restart(st_call *call) {
  const st_store *store = call->store->store;
  st_call_begin(call, true);
  if (!st_ok(call)) return;
  st_run(call, METHOD(CLEAR), NULL);
  for (uint16_t i = 0; i < store->nsources; i++) {
    st_value after = {.type = ST_ABSENT};
    if (!st_source_is_there(call, &store->sources[i])) continue;
    do after = note_page(call, &store->sources[i], after);
    while (after.type != ST_ABSENT);
  }
  st_call_end(call);
}

/* ---- Finding ---- */

/* A row that lost something is asked itself. */
static bool really_matches(st_call *call, st_matcher *matcher, const char *kind, const char *id) {
  st_value key = st_textz(id);
  st_column columns[ST_COLUMNS];
  st_document d;
  st_documents_read(call, kind, &key, 1, &d);
  if (!st_ok(call) || d.id.type != ST_TEXT) return false;
  st_columns_read(call, call->arena, &d.text, &d.title, &d.extra, columns);
  return st_ok(call) && st_match(matcher, columns, ST_COLUMNS);
}

/* The kind as the registry has it: it outlives the call. */
static const char *kind_of(const st_call *call, const st_value *kind) {
  const st_findable *source = st_source_find(call->store->store, kind->bytes);
  return source ? source->kind : "";
}

static void run_query(st_call *call, const st_value *args, int k, st_matcher *matcher, st_documents_found *found) {
  st_value v[ST_R_SHARED_DOCUMENT_FIND_LOST + 1];
  st_rows rows;
  st_rows_start(call, &rows, METHOD(FIND), args);
  while (found->count < k && st_rows_next(call, &rows)) {
    st_rows_keep(call, &rows, v);
    st_document_hit hit = {0, kind_of(call, &v[ST_R_SHARED_DOCUMENT_FIND_KIND]), v[ST_R_SHARED_DOCUMENT_FIND_ID].bytes,
                           v[ST_R_SHARED_DOCUMENT_FIND_SCORE].real, v[ST_R_SHARED_DOCUMENT_FIND_TIME].real};
    if (v[ST_R_SHARED_DOCUMENT_FIND_LOST].integer && !really_matches(call, matcher, hit.kind, hit.id)) continue;
    if (st_ok(call)) found->hits[found->count++] = hit;
  }
  st_rows_end(call, &rows);
  found->matches = found->count;
}

void st_documents_postgres_find(st_call *call, const st_query *query, const st_document_filter *filter, st_order order, int k,
                                st_documents_found *found) {
  enum { OVER = 200 }; /* rows that may turn out not to match */
  st_value args[ST_P_SHARED_DOCUMENT_FIND_LIMIT + 1];
  st_matcher *matcher = st_matcher_new(call->arena, query);
  memset(args, 0, sizeof args);
  found->hits = st_call_alloc(call, ((size_t)k + 1) * sizeof *found->hits);
  if (!matcher) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_statement_queries(call, query, &args[ST_P_SHARED_DOCUMENT_FIND_QUERY]);
  st_statement_filter(filter, &args[ST_P_SHARED_DOCUMENT_FIND_KINDS]);
  if (order == ST_ORDER_NEWEST) args[ST_P_SHARED_DOCUMENT_FIND_NEWEST] = st_bool(true);
  if (order == ST_ORDER_OLDEST) args[ST_P_SHARED_DOCUMENT_FIND_OLDEST] = st_bool(true);
  args[ST_P_SHARED_DOCUMENT_FIND_LIMIT] = st_int(k + OVER);
  if (st_ok(call)) run_query(call, args, k, matcher, found);
}
_Static_assert((int)ST_P_SHARED_DOCUMENT_FIND_LOOSE == (int)ST_P_SHARED_DOCUMENT_FIND_QUERY + ST_STATEMENT_QUERIES - 1 &&
                   (int)ST_P_SHARED_DOCUMENT_FIND_UNTIL == (int)ST_P_SHARED_DOCUMENT_FIND_KINDS + ST_STATEMENT_FILTER - 1 &&
                   (int)ST_P_SHARED_DOCUMENT_LIST_UNTIL == (int)ST_P_SHARED_DOCUMENT_LIST_KINDS + ST_STATEMENT_FILTER - 1,
               "what stands together here stands together there");

void st_documents_postgres_list(st_call *call, const st_document_filter *filter, st_order order, int k, st_documents_found *found) {
  st_value args[ST_P_SHARED_DOCUMENT_LIST_LIMIT + 1], v[ST_R_SHARED_DOCUMENT_LIST_TIME + 1];
  st_rows rows;
  memset(args, 0, sizeof args);
  found->hits = st_call_alloc(call, ((size_t)k + 1) * sizeof *found->hits);
  st_statement_filter(filter, &args[ST_P_SHARED_DOCUMENT_LIST_KINDS]);
  if (order == ST_ORDER_OLDEST) args[ST_P_SHARED_DOCUMENT_LIST_OLDEST] = st_bool(true);
  args[ST_P_SHARED_DOCUMENT_LIST_LIMIT] = st_int(k);
  st_rows_start(call, &rows, METHOD(LIST), args);
  while (found->count < k && st_rows_next(call, &rows)) {
    st_rows_keep(call, &rows, v);
    if (st_ok(call))
      found->hits[found->count++] =
          (st_document_hit){0, kind_of(call, &v[ST_R_SHARED_DOCUMENT_LIST_KIND]), v[ST_R_SHARED_DOCUMENT_LIST_ID].bytes, 0,
                            v[ST_R_SHARED_DOCUMENT_LIST_TIME].real};
  }
  st_rows_end(call, &rows);
  found->matches = found->count;
}
