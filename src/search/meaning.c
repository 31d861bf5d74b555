/* meaning.c - finding by embeddings.  See meaning.h. */
#include "search/meaning.h"

#include <math.h>
#include <string.h>

#include "registry_ids.h"
#include "search/documents_filter.h"
#include "search/meaning_parts.h"
#include "search/sources.h"
#include "search/statement.h"
#include "vector/code.h"
#include "vector/cosine.h"

#define METHOD_OF(call, name) st_shared(call, ST_T_EMBEDDING_##name)
#define METHOD(name) METHOD_OF(call, name)

#define MORE_TRIES 5 /* of finding others instead of those that count no more */

/* Of pgvector's index. */
enum {
  INDEX_DIMENSION = 4000, /* the largest that it can have */
  INDEX_MOST = 1000,      /* rows that it looks at: it tells no more than these, */
  INDEX_LEAST = 200,      /* and is asked for more than are wanted: the more, the more exact */
  INDEX_TIMES = 4,
};

/* ---- the nearest so far ---- */

bool st_meaning_wants(const st_meaning *meaning, double similarity) {
  return meaning->count < meaning->k || similarity > meaning->best[meaning->count - 1].similarity;
}

void st_meaning_offer(st_meaning *meaning, st_near near) {
  if (!st_meaning_wants(meaning, near.similarity)) return;
  size_t at = meaning->count < meaning->k ? meaning->count++ : meaning->count - 1;
  for (; at > 0 && meaning->best[at - 1].similarity < near.similarity; at--) meaning->best[at] = meaning->best[at - 1];
  meaning->best[at] = near;
}

/* ---- finding ---- */

/* Compare what a method of the database tells, and keep the nearest. */
static void compare_rows(st_meaning *m, int method, const st_value *args) {
  st_call *call = m->call;
  st_rows rows;
  st_embedded row;
  st_rows_stream(call, &rows, method, args);
  while (st_rows_next(call, &rows)) {
    st_embedded_get(call, &rows, &row);
    if (!st_meaning_numbers(&row.vector, m->dimension, m->numbers)) continue;
    double near = st_cosine(m->query, m->numbers, m->dimension);
    if (st_meaning_wants(m, near)) st_meaning_offer(m, (st_near){row.number, st_within_document(&m->within, &row.kind, &row.id), near});
  }
  st_rows_end(call, &rows);
}

/* PostgreSQL keeps what rows are filtered by. */
static void scan_database(st_meaning *m) {
  st_call *call = m->call;
  st_value args[ST_P_SHARED_EMBEDDING_SCAN_UNTIL + 1];
  memset(args, 0, sizeof args);
  args[ST_P_SHARED_EMBEDDING_SCAN_DIMENSION] = st_int((int64_t)m->dimension);
  st_statement_filter(m->within.filter, &args[ST_P_SHARED_EMBEDDING_SCAN_KINDS]);
  compare_rows(m, METHOD_OF(call, SCAN), args);
}
_Static_assert((int)ST_P_SHARED_EMBEDDING_SCAN_UNTIL == (int)ST_P_SHARED_EMBEDDING_SCAN_KINDS + ST_STATEMENT_FILTER - 1,
               "the filter stands together");

static bool is_open(const st_document_filter *f) {
  return !f->kinds && !f->roles && !f->sessions && !f->projects && isinf(f->since) && isinf(f->until);
}

/* By the index of pgvector, which knows of no filter.  False: it cannot say, or too few of those it told are there. */
static bool ask_index(st_meaning *m) {
  st_call *call = m->call;
  st_value args[ST_P_SHARED_EMBEDDING_NEAREST_MOST + 1];
  size_t most = m->k * INDEX_TIMES > INDEX_LEAST ? m->k * INDEX_TIMES : INDEX_LEAST;
  if (!st_meaning_has_halfvecs(call) || !is_open(m->within.filter) || m->dimension > INDEX_DIMENSION || m->k > INDEX_MOST) return false;
  args[ST_P_SHARED_EMBEDDING_NEAREST_DIMENSION] = st_int((int64_t)m->dimension);
  args[ST_P_SHARED_EMBEDDING_NEAREST_VECTOR] = st_meaning_text(call, m->query, m->dimension);
  args[ST_P_SHARED_EMBEDDING_NEAREST_MOST] = st_int((int64_t)(most < INDEX_MOST ? most : INDEX_MOST));
  compare_rows(m, METHOD_OF(call, NEAREST), args);
  return m->count == m->k;
}

static void search_database(st_meaning *m) {
  st_call *call = m->call;
  if (!st_sources_numbered(call->store->store)) {
    st_documents_note(call);
    if (!st_documents_complete(call)) return;
  }
  if (ask_index(m) || !st_ok(call)) return;
  m->count = 0;
  scan_database(m);
}

/* Their kinds and keys, which only a number stood for.  How many of them count no more, and are left out. */
static size_t tell(st_meaning *m, st_meant *out, int *count) {
  st_call *call = m->call;
  st_value *numbers = st_call_alloc(call, (m->count + 1) * sizeof *numbers), hash, origin;
  st_meaning_known *known = st_call_alloc(call, (m->count + 1) * sizeof *known);
  st_value list = {.type = ST_LIST, .items = numbers, .count = (uint32_t)m->count, .width = 1};
  size_t stale = 0;
  st_embedded row;
  st_rows rows;
  if (!st_ok(call) || m->count == 0) return 0;
  for (size_t i = 0; i < m->count; i++) {
    numbers[i] = st_int(m->best[i].number);
    out[i] = (st_meant){.doc = m->best[i].document, .similarity = m->best[i].similarity};
  }
  st_rows_start(call, &rows, METHOD(ROWS), &list);
  while (st_rows_next(call, &rows)) {
    st_embedded_get(call, &rows, &row);
    st_rows_value(call, &rows, ST_R_SHARED_EMBEDDING_ROWS_TEXT_HASH, &hash);
    st_rows_value(call, &rows, ST_R_SHARED_EMBEDDING_ROWS_ORIGIN, &origin);
    for (size_t i = 0; i < m->count; i++) {
      if (m->best[i].number != row.number) continue;
      out[i].kind = st_call_copy(call, row.kind.bytes, row.kind.length);
      out[i].id = st_call_copy(call, row.id.bytes, row.id.length);
      known[i] = (st_meaning_known){(uint64_t)hash.integer, st_origin_of(&origin)};
    }
  }
  st_rows_end(call, &rows);
  for (size_t i = 0; i < m->count && st_ok(call); i++) {
    if (!out[i].id) continue; /* it has gone a moment ago */
    if (st_meaning_is_current(call, out[i].kind, out[i].id, &known[i])) out[(*count)++] = out[i];
    else stale++;
  }
  return stale;
}

/* The nearest m->k; how many of them count no more. */
static size_t find(st_meaning *m, const char *model, st_meant *out, int *count) {
  m->count = 0;
  *count = 0;
  m->best = st_call_alloc(m->call, m->k * sizeof *m->best);
  if (!m->best) return 0;
  if (m->call->store->driver->engine == ST_POSTGRES)
    search_database(m);
  else
    st_meaning_search_codes(m, model);
  return st_ok(m->call) ? tell(m, out, count) : 0;
}

/* As many as are wanted and count: instead of those that do not, the next are looked for. */
static void find_current(st_meaning *m, const char *model, int k, st_meant *out, int *count) {
  bool all = false;
  m->k = (size_t)k;
  for (int tries = 0; tries < MORE_TRIES && !all && st_ok(m->call); tries++) {
    st_meant *found = st_call_alloc(m->call, m->k * sizeof *found);
    if (!found) return;
    size_t stale = find(m, model, found, count);
    all = stale == 0 || m->count < m->k;
    m->k += 2 * stale;
    if (*count > k) *count = k;
    if (*count) memcpy(out, found, (size_t)*count * sizeof *out);
    all = all || *count == k;
  }
}

void st_meaning_find(st_call *call, const float *query, size_t dimension, const st_document_filter *filter, int k, st_meant *out,
                     int *count) {
  const char *model = st_meaning_model(call, dimension);
  st_meaning m = {.call = call, .query = query, .dimension = dimension};
  *count = 0;
  if (!model || k <= 0) return;
  if (!st_vector_directed(query, dimension)) {
    st_fail(call, STELE_INVALID, "vector", "the vector to compare with must be finite, and not zeros only");
    return;
  }
  m.numbers = st_call_alloc(call, dimension * sizeof *m.numbers);
  if (!st_ok(call)) return;
  for (int tries = 0; tries < 2; tries++) {
    if (st_within_begin(call, filter, &m.within)) find_current(&m, model, k, out, count);
    if (!st_index_recover(call)) return;
  }
}

/* ---- indexing ---- */

void st_meaning_index(st_call *call, int64_t *coded) {
  const st_document_filter all = ST_DOCUMENTS_ALL;
  st_value after = st_int(0), dimension;
  st_within within;
  *coded = 0;
  if (!st_meaning_is_there(call) || call->store->driver->engine == ST_POSTGRES || !st_within_begin(call, &all, &within)) return;
  while (st_one(call, METHOD(NEXT), &after, &dimension) && dimension.type == ST_INT) {
    const char *model = st_meaning_model(call, (size_t)dimension.integer);
    struct st_codes *codes = model ? st_meaning_codes(call, &within, (size_t)dimension.integer, model) : NULL;
    if (codes) st_meaning_catch_up(call, &within, codes, coded);
    after = dimension;
  }
}
