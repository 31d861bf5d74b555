/* meaning_codes.c - the nearest embeddings of a SQLite store, by their codes.  See meaning_parts.h.
**
** A search looks by itself at embeddings that are not coded yet, as long as they are few, so that it finds them at
** once without writing anything. */
#include <string.h>

#include "base/alloc.h"
#include "base/vector.h"
#include "engine/sqlite_driver.h"
#include "registry_ids.h"
#include "search/meaning_parts.h"
#include "vector/codes.h"
#include "vector/cosine.h"
#include "vector/half.h"

#define METHOD(name) st_shared(call, ST_T_EMBEDDING_##name)

enum {
  TAIL = 256,       /* embeddings that a search compares without codes */
  GONE_MOST = 256,  /* marked as dead after one search */
  DEAD_LEAST = 4096 /* that a file is written anew for */
};

/* ---- reading ---- */

void st_embedded_get(st_call *call, st_rows *rows, st_embedded *out) {
  st_value number;
  st_rows_value(call, rows, ST_R_SHARED_EMBEDDING_PAGE_NUMBER, &number);
  st_rows_value(call, rows, ST_R_SHARED_EMBEDDING_PAGE_KIND, &out->kind);
  st_rows_value(call, rows, ST_R_SHARED_EMBEDDING_PAGE_ID, &out->id);
  st_rows_value(call, rows, ST_R_SHARED_EMBEDDING_PAGE_VECTOR, &out->vector);
  out->number = number.integer;
}
_Static_assert((int)ST_R_SHARED_EMBEDDING_PAGE_VECTOR == (int)ST_R_SHARED_EMBEDDING_ROWS_VECTOR &&
                   (int)ST_R_SHARED_EMBEDDING_PAGE_VECTOR == (int)ST_R_SHARED_EMBEDDING_SCAN_VECTOR,
               "the three methods have the same results");

bool st_meaning_numbers(const st_value *vector, size_t dimension, float *out) {
  if (vector->type != ST_BLOB) return false;
  if (vector->length == dimension * ST_HALF_BYTES)
    st_kernel_best()->widen(vector->bytes, dimension, out);
  else if (vector->length == dimension * ST_VECTOR_BYTES)
    st_vector_read(vector->bytes, dimension, out);
  else
    return false;
  return st_vector_directed(out, dimension);
}

/* Embeddings in their order, after a number. */
static void start_page(st_call *call, st_rows *rows, size_t dimension, int64_t after, int64_t limit) {
  st_value args[ST_P_SHARED_EMBEDDING_PAGE_LIMIT + 1];
  args[ST_P_SHARED_EMBEDDING_PAGE_DIMENSION] = st_int((int64_t)dimension);
  args[ST_P_SHARED_EMBEDDING_PAGE_AFTER] = st_int(after);
  args[ST_P_SHARED_EMBEDDING_PAGE_LIMIT] = st_int(limit);
  st_rows_stream(call, rows, METHOD(PAGE), args);
}

/* ---- coding ---- */

/* Code a page; how many embeddings it had. */
static int64_t code_page(st_call *call, st_within *within, st_codes *codes, float *numbers, st_codes_result *result) {
  size_t dimension = st_codes_kind_of(codes)->dimension;
  int64_t count = 0, through = st_codes_state_of(codes)->through;
  st_rows rows;
  start_page(call, &rows, dimension, through, ST_CODES_BLOCK);
  while (*result == ST_CODES_OK && st_rows_next(call, &rows)) {
    st_embedded row;
    st_embedded_get(call, &rows, &row);
    if (st_meaning_numbers(&row.vector, dimension, numbers))
      *result = st_codes_add(codes, row.number, st_within_document(within, &row.kind, &row.id), numbers);
    through = row.number;
    count++;
  }
  st_rows_end(call, &rows);
  if (*result == ST_CODES_OK && st_ok(call) && count) *result = st_codes_publish(codes, through, 0);
  return count;
}

static void fail_memory(st_call *call, st_codes_result result) {
  if (result == ST_CODES_NOMEM) st_fail(call, STELE_NOMEM, NULL, "out of memory");
}

void st_meaning_catch_up(st_call *call, st_within *within, st_codes *codes, int64_t *coded) {
  float *numbers = st_call_alloc(call, st_codes_kind_of(codes)->dimension * sizeof *numbers);
  st_codes_result result = numbers ? ST_CODES_OK : ST_CODES_NOMEM;
  int64_t count = ST_CODES_BLOCK;
  while (st_ok(call) && result == ST_CODES_OK && count == ST_CODES_BLOCK) {
    result = st_codes_lock(codes); /* for a page at a time: others may want to go on with it */
    if (result != ST_CODES_OK) break;
    count = code_page(call, within, codes, numbers, &result);
    st_codes_unlock(codes);
    *coded += count;
  }
  fail_memory(call, result); /* what else may fail, such as a full disk, leaves more to be compared without codes */
}

/* What a write that may be undone has given a number must not be coded: the number may become another's. */
static bool may_code(const st_call *call) {
  const st_sqlite *conn = (const st_sqlite *)call->store->conn;
  return !call->store->target.readonly && sqlite3_txn_state(conn->db, "main") != SQLITE_TXN_WRITE;
}

static bool is_behind(st_meaning *m, st_codes *codes) {
  st_rows rows;
  int count = 0;
  start_page(m->call, &rows, m->dimension, st_codes_state_of(codes)->through, TAIL + 1);
  while (count <= TAIL && st_rows_next(m->call, &rows)) count++;
  st_rows_end(m->call, &rows);
  return count > TAIL;
}

/* ---- searching ---- */

typedef struct fetching {
  st_meaning *m;
  int64_t gone[GONE_MOST]; /* coded, but no longer kept */
  size_t ngone;
} fetching;

static size_t place_of(const st_code_row *const *rows, size_t count, int64_t number) {
  size_t at = 0;
  while (at < count && rows[at]->number != number) at++;
  return at;
}

static void note_gone(fetching *f, const st_code_row *const *rows, size_t count, const bool *kept) {
  for (size_t i = 0; i < count; i++)
    if (!kept[i] && f->ngone < GONE_MOST) f->gone[f->ngone++] = rows[i]->number;
}

static bool fetch(void *context, const st_code_row *const *rows, size_t count, float *out, bool *there) {
  fetching *f = context;
  st_meaning *m = f->m;
  st_call *call = m->call;
  st_value numbers[ST_NEAR_FETCH], list = {.type = ST_LIST, .items = numbers, .count = (uint32_t)count, .width = 1};
  bool kept[ST_NEAR_FETCH] = {false}, known;
  st_rows found;
  for (size_t i = 0; i < count; i++) numbers[i] = st_int(rows[i]->number);
  st_rows_start(call, &found, METHOD(ROWS), &list);
  while (st_rows_next(call, &found)) {
    st_embedded row;
    int64_t doc;
    st_embedded_get(call, &found, &row);
    size_t at = place_of(rows, count, row.number);
    if (at == count) continue;
    kept[at] = true;
    bool within = st_within_number(&m->within, rows[at]->document, &known);
    if (!within) within = st_within_row(&m->within, &row.kind, &row.id, &doc);
    there[at] = within && st_meaning_numbers(&row.vector, m->dimension, out + at * m->dimension);
  }
  st_rows_end(call, &found);
  note_gone(f, rows, count, kept);
  return st_ok(call);
}

/* May a coded row be within the filter?  One that the index does not know yet may: fetching tells. */
static bool may_be_within(void *context, const st_code_row *row) {
  fetching *f = context;
  bool known;
  return st_within_number(&f->m->within, row->document, &known) || !known;
}

static st_codes_result search(st_meaning *m, st_codes *codes, fetching *f) {
  bool stopped = false, narrow = !m->within.open && m->within.index;
  st_near_search asked = {.codes = codes, .query = m->query, .k = m->k, .allowed = narrow ? may_be_within : NULL, .fetch = fetch, .context = f};
  m->count = 0;
  return st_near_find(&asked, m->best, &m->count, &stopped);
}

/* Rows that were found to be gone are marked, and a file that has many of them is written anew. */
static void bury(st_call *call, st_codes *codes, const fetching *f) {
  if (f->ngone == 0 || !may_code(call) || st_codes_lock(codes) != ST_CODES_OK) return;
  const st_codes_state *state = st_codes_state_of(codes);
  st_codes_result result = ST_CODES_OK;
  for (size_t i = 0; i < f->ngone && result == ST_CODES_OK; i++) result = st_codes_kill(codes, f->gone[i]);
  if (result == ST_CODES_OK) result = st_codes_publish(codes, state->through, 0);
  if (result == ST_CODES_OK && state->dead >= DEAD_LEAST && state->dead >= state->count / 4) st_codes_compact(codes);
  st_codes_unlock(codes);
}

/* Those after a number, without codes. */
static void search_tail(st_meaning *m, int64_t after) {
  st_rows rows;
  st_embedded row;
  int64_t doc;
  start_page(m->call, &rows, m->dimension, after, INT64_MAX);
  while (st_rows_next(m->call, &rows)) {
    st_embedded_get(m->call, &rows, &row);
    if (!st_meaning_numbers(&row.vector, m->dimension, m->numbers)) continue;
    double near = st_cosine(m->query, m->numbers, m->dimension);
    if (st_meaning_wants(m, near) && st_within_row(&m->within, &row.kind, &row.id, &doc)) st_meaning_offer(m, (st_near){row.number, doc, near});
  }
  st_rows_end(m->call, &rows);
}

void st_meaning_search_codes(st_meaning *m, const char *model) {
  st_codes *codes = st_meaning_codes(m->call, &m->within, m->dimension, model);
  fetching f = {.m = m};
  int64_t coded = 0, through = 0;
  for (int tries = 0; codes && st_ok(m->call) && tries < 2; tries++) {
    if (may_code(m->call) && is_behind(m, codes)) st_meaning_catch_up(m->call, &m->within, codes, &coded);
    through = st_codes_state_of(codes)->through;
    st_codes_result result = search(m, codes, &f);
    fail_memory(m->call, result);
    if (result == ST_CODES_OK || !st_ok(m->call)) break;
    m->count = 0;
    through = 0;
    st_note(m->call, "the codes of embeddings were damaged and are made anew");
    if (st_codes_renew(codes) != ST_CODES_OK) break;
  }
  if (st_ok(m->call)) search_tail(m, through);
  if (codes && st_ok(m->call)) bury(m->call, codes, &f);
}
