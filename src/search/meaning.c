/* meaning.c - keeping embeddings, and finding by them.  See meaning.h. */
#include "search/meaning.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "engine/feature.h"
#include "registry_ids.h"
#include "search/documents_filter.h"
#include "search/meaning_parts.h"
#include "search/sources.h"
#include "vector/code.h"
#include "vector/cosine.h"
#include "vector/half.h"

#define WORD_SHOWN 100 /* bytes of a model's name */
#define METHOD_OF(call, name) st_shared(call, ST_T_EMBEDDING_##name)
#define METHOD(name) METHOD_OF(call, name)
#define TEXT_MAX (1u << 20) /* of a vector */

/* Of pgvector's index. */
enum {
  INDEX_DIMENSION = 4000, /* the largest that it can have */
  INDEX_MOST = 1000,      /* rows that it looks at: it tells no more than these, */
  INDEX_LEAST = 200,      /* and is asked for more than are wanted: the more, the more exact */
  INDEX_TIMES = 4,
};

static bool is_there(st_call *call) {
  st_features_ensure(call); /* sees what other processes have made */
  return st_ok(call) && st_feature_has(call, st_shared_feature(call, ST_TF_EMBEDDINGS));
}

/* ---- keeping ---- */

/* What made the collection; NULL: there is none. */
static const char *model_of(st_call *call, size_t dimension) {
  st_value asked = st_int((int64_t)dimension), model = {.type = ST_NULL};
  if (!is_there(call) || !st_one(call, METHOD(MODEL), &asked, &model)) return NULL;
  return model.type == ST_TEXT ? model.bytes : NULL;
}

static void check(st_call *call, const char *model, const float *vector, size_t dimension) {
  const char *known = model_of(call, dimension);
  if (dimension == 0 || dimension > ST_VECTOR_MAX)
    st_fail(call, STELE_INVALID, "vector", "vector has %zu numbers; 1 to %d can be kept", dimension, ST_VECTOR_MAX);
  else if (!st_vector_directed(vector, dimension))
    st_fail(call, STELE_INVALID, "vector", "vector must be finite, and not zeros only");
  if (!model[0]) st_fail(call, STELE_INVALID, "model", "model must not be empty");
  if (!known || strcmp(known, model) == 0) return;
  st_fail(call, STELE_INVALID, "model", "model: the embeddings of dimension %zu here are made by %.*s, and cannot be compared with those of %.*s",
          dimension, WORD_SHOWN, known, WORD_SHOWN, model);
  st_hint(call, "embed with that model, or clear these embeddings and embed everything anew");
}

/* At length one, so that 16 bits are enough for every number. */
static st_value make_halves(st_call *call, const float *vector, size_t dimension) {
  float *unit = st_call_alloc(call, dimension * sizeof *unit);
  char *bytes = st_call_alloc(call, dimension * ST_HALF_BYTES);
  double squares = 0;
  if (!unit || !bytes) return (st_value){.type = ST_NULL};
  for (size_t i = 0; i < dimension; i++) squares += (double)vector[i] * (double)vector[i];
  for (size_t i = 0; i < dimension; i++) unit[i] = (float)((double)vector[i] / sqrt(squares));
  st_halves_put(unit, dimension, bytes);
  return (st_value){.type = ST_BLOB, .bytes = bytes, .length = dimension * ST_HALF_BYTES};
}

/* As pgvector reads it. */
static st_value make_text(st_call *call, const float *vector, size_t dimension) {
  char *bytes = st_call_alloc(call, dimension * ST_VECTOR_BYTES);
  st_str text;
  st_str_init(&text, TEXT_MAX);
  for (size_t i = 0; bytes && i < dimension; i++) st_vector_put(bytes + i * ST_VECTOR_BYTES, vector[i]);
  if (bytes) st_vector_add(&text, bytes, dimension);
  return st_take(call, &text);
}

static bool has_halfvecs(const st_call *call) { return st_feature_has(call, st_shared_feature(call, ST_TF_HALFVECS)); }

/* Before the first embedding: the column and the functions of pgvector's index, where it can be had. */
static void settle_index(st_call *call) {
  st_value due = st_bool(false);
  if (call->store->driver->engine != ST_POSTGRES || has_halfvecs(call)) return;
  st_one(call, METHOD(DUE), NULL, &due);
  if (st_ok(call) && due.integer) st_feature_need(call, st_shared_feature(call, ST_TF_HALFVECS));
}

static void put_into_index(st_call *call, const st_value *put, const float *vector, size_t dimension) {
  st_value args[ST_P_SHARED_EMBEDDING_NEAR_VECTOR + 1], done;
  if (!st_ok(call) || !has_halfvecs(call)) return;
  args[ST_P_SHARED_EMBEDDING_NEAR_KIND] = put[ST_P_SHARED_EMBEDDING_PUT_KIND];
  args[ST_P_SHARED_EMBEDDING_NEAR_ID] = put[ST_P_SHARED_EMBEDDING_PUT_ID];
  args[ST_P_SHARED_EMBEDDING_NEAR_DIMENSION] = put[ST_P_SHARED_EMBEDDING_PUT_DIMENSION];
  args[ST_P_SHARED_EMBEDDING_NEAR_VECTOR] = make_text(call, vector, dimension);
  st_one(call, METHOD(NEAR), args, &done);
}

void st_meaning_keep(st_call *call, const char *kind, const char *id, const char *model, const float *vector, size_t dimension,
                     uint64_t text_hash) {
  st_value args[ST_P_SHARED_EMBEDDING_PUT_TEXT_HASH + 1];
  if (!st_ok(call)) return;
  check(call, model, vector, dimension);
  st_feature_need(call, st_shared_feature(call, ST_TF_EMBEDDINGS));
  settle_index(call);
  if (!st_ok(call)) return;
  args[ST_P_SHARED_EMBEDDING_PUT_KIND] = st_textz(kind);
  args[ST_P_SHARED_EMBEDDING_PUT_ID] = st_textz(id);
  args[ST_P_SHARED_EMBEDDING_PUT_DIMENSION] = st_int((int64_t)dimension);
  args[ST_P_SHARED_EMBEDDING_PUT_MODEL] = st_textz(model);
  args[ST_P_SHARED_EMBEDDING_PUT_VECTOR] = make_halves(call, vector, dimension);
  args[ST_P_SHARED_EMBEDDING_PUT_TEXT_HASH] = st_int((int64_t)text_hash);
  st_run(call, METHOD(PUT), args);
  put_into_index(call, args, vector, dimension);
}

void st_meaning_forget(st_call *call, const char *kind, const char *id) {
  st_value args[ST_P_SHARED_EMBEDDING_ERASE_ID + 1];
  args[ST_P_SHARED_EMBEDDING_ERASE_KIND] = st_textz(kind);
  args[ST_P_SHARED_EMBEDDING_ERASE_ID] = st_textz(id);
  if (is_there(call)) st_run(call, METHOD(ERASE), args);
}

int64_t st_meaning_clear(st_call *call, size_t dimension) {
  st_value which = st_int((int64_t)dimension);
  return is_there(call) ? st_run(call, METHOD(CLEAR), &which) : 0;
}

void st_meaning_known(st_call *call, const char *kind, const st_value *ids, size_t count, size_t dimension, uint64_t *hashes, bool *known) {
  st_value args[ST_P_SHARED_EMBEDDING_HASHES_DIMENSION + 1], id, hash;
  st_rows rows;
  memset(known, 0, count * sizeof *known);
  if (!is_there(call)) return;
  args[ST_P_SHARED_EMBEDDING_HASHES_KIND] = st_textz(kind);
  args[ST_P_SHARED_EMBEDDING_HASHES_IDS] =
      (st_value){.type = ST_LIST, .items = (st_value *)(uintptr_t)ids, .count = (uint32_t)count, .width = 1};
  args[ST_P_SHARED_EMBEDDING_HASHES_DIMENSION] = st_int((int64_t)dimension);
  st_rows_start(call, &rows, METHOD(HASHES), args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_SHARED_EMBEDDING_HASHES_ID, &id);
    st_rows_value(call, &rows, ST_R_SHARED_EMBEDDING_HASHES_TEXT_HASH, &hash);
    for (size_t i = 0; i < count; i++)
      if (ids[i].length == id.length && memcmp(ids[i].bytes, id.bytes, id.length) == 0) {
        hashes[i] = (uint64_t)hash.integer;
        known[i] = true;
      }
  }
  st_rows_end(call, &rows);
}

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
    if (!st_embedded_read(&row, m->dimension, m->numbers)) continue;
    double near = st_cosine(m->query, m->numbers, m->dimension);
    if (st_meaning_wants(m, near)) st_meaning_offer(m, (st_near){row.number, st_within_document(&m->within, &row.kind, &row.id), near});
  }
  st_rows_end(call, &rows);
}

/* PostgreSQL keeps what rows are filtered by. */
static void scan_database(st_meaning *m) {
  st_call *call = m->call;
  const st_document_filter *filter = m->within.filter;
  st_value args[ST_P_SHARED_EMBEDDING_SCAN_UNTIL + 1];
  memset(args, 0, sizeof args);
  args[ST_P_SHARED_EMBEDDING_SCAN_DIMENSION] = st_int((int64_t)m->dimension);
  if (filter->kinds) args[ST_P_SHARED_EMBEDDING_SCAN_KINDS] = *filter->kinds;
  if (filter->roles) args[ST_P_SHARED_EMBEDDING_SCAN_ROLES] = *filter->roles;
  if (filter->sessions) args[ST_P_SHARED_EMBEDDING_SCAN_SESSIONS] = *filter->sessions;
  if (filter->projects) args[ST_P_SHARED_EMBEDDING_SCAN_PROJECTS] = *filter->projects;
  if (!isinf(filter->since)) args[ST_P_SHARED_EMBEDDING_SCAN_SINCE] = st_real(filter->since);
  if (!isinf(filter->until)) args[ST_P_SHARED_EMBEDDING_SCAN_UNTIL] = st_real(filter->until);
  compare_rows(m, METHOD_OF(call, SCAN), args);
}

static bool is_open(const st_document_filter *f) {
  return !f->kinds && !f->roles && !f->sessions && !f->projects && isinf(f->since) && isinf(f->until);
}

/* By the index of pgvector, which knows of no filter.  False: it cannot say, or too few of those it told are there. */
static bool ask_index(st_meaning *m) {
  st_call *call = m->call;
  st_value args[ST_P_SHARED_EMBEDDING_NEAREST_MOST + 1];
  size_t most = m->k * INDEX_TIMES > INDEX_LEAST ? m->k * INDEX_TIMES : INDEX_LEAST;
  if (!has_halfvecs(call) || !is_open(m->within.filter) || m->dimension > INDEX_DIMENSION || m->k > INDEX_MOST) return false;
  args[ST_P_SHARED_EMBEDDING_NEAREST_DIMENSION] = st_int((int64_t)m->dimension);
  args[ST_P_SHARED_EMBEDDING_NEAREST_VECTOR] = make_text(call, m->query, m->dimension);
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

/* Their kinds and keys, which only a number stood for. */
static void tell(st_meaning *m, st_meant *out, int *count) {
  st_call *call = m->call;
  st_value *numbers = st_call_alloc(call, (m->count + 1) * sizeof *numbers);
  st_value list = {.type = ST_LIST, .items = numbers, .count = (uint32_t)m->count, .width = 1};
  st_embedded row;
  st_rows rows;
  if (!st_ok(call) || m->count == 0) return;
  for (size_t i = 0; i < m->count; i++) {
    numbers[i] = st_int(m->best[i].number);
    out[i] = (st_meant){.doc = m->best[i].document, .similarity = m->best[i].similarity};
  }
  st_rows_start(call, &rows, METHOD(ROWS), &list);
  while (st_rows_next(call, &rows)) {
    st_embedded_get(call, &rows, &row);
    for (size_t i = 0; i < m->count; i++) {
      if (m->best[i].number != row.number) continue;
      out[i].kind = st_call_copy(call, row.kind.bytes, row.kind.length);
      out[i].id = st_call_copy(call, row.id.bytes, row.id.length);
    }
  }
  st_rows_end(call, &rows);
  for (size_t i = 0; i < m->count && st_ok(call); i++)
    if (out[i].id) out[(*count)++] = out[i]; /* one may have gone a moment ago */
}

static void find(st_meaning *m, const char *model, st_meant *out, int *count) {
  m->count = 0;
  *count = 0;
  if (m->call->store->driver->engine == ST_POSTGRES)
    search_database(m);
  else
    st_meaning_search_codes(m, model);
  if (st_ok(m->call)) tell(m, out, count);
}

void st_meaning_find(st_call *call, const float *query, size_t dimension, const st_document_filter *filter, int k, st_meant *out,
                     int *count) {
  const char *model = model_of(call, dimension);
  st_meaning m = {.call = call, .query = query, .dimension = dimension, .k = k > 0 ? (size_t)k : 0};
  *count = 0;
  if (!model || m.k == 0) return;
  if (!st_vector_directed(query, dimension)) {
    st_fail(call, STELE_INVALID, "vector", "the vector to compare with must be finite, and not zeros only");
    return;
  }
  m.best = st_call_alloc(call, m.k * sizeof *m.best);
  m.numbers = st_call_alloc(call, dimension * sizeof *m.numbers);
  if (!st_ok(call)) return;
  for (int tries = 0; tries < 2; tries++) {
    if (st_within_begin(call, filter, &m.within)) find(&m, model, out, count);
    if (!st_index_recover(call)) return;
  }
}

/* ---- indexing ---- */

void st_meaning_index(st_call *call, int64_t *coded) {
  const st_document_filter all = ST_DOCUMENTS_ALL;
  st_value after = st_int(0), dimension;
  st_within within;
  *coded = 0;
  if (!is_there(call) || call->store->driver->engine == ST_POSTGRES || !st_within_begin(call, &all, &within)) return;
  while (st_one(call, METHOD(NEXT), &after, &dimension) && dimension.type == ST_INT) {
    const char *model = model_of(call, (size_t)dimension.integer);
    struct st_codes *codes = model ? st_meaning_codes(call, &within, (size_t)dimension.integer, model) : NULL;
    if (codes) st_meaning_catch_up(call, &within, codes, coded);
    after = dimension;
  }
}
