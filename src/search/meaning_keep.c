/* meaning_keep.c - embeddings are kept, forgotten and looked up.  See meaning.h. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "engine/feature.h"
#include "registry_ids.h"
#include "search/meaning_parts.h"
#include "vector/code.h"
#include "vector/cosine.h"
#include "vector/half.h"

#define WORD_SHOWN 100 /* bytes of a model's name */
#define METHOD(name) st_shared(call, ST_T_EMBEDDING_##name)
#define TEXT_MAX (1u << 20) /* of a vector */

static const char *const ORIGINS[] = {[ST_ORIGIN_ANY] = NULL, [ST_ORIGIN_MODEL] = "model", [ST_ORIGIN_CALLER] = "caller", [ST_ORIGIN_FILE] = "file"};

st_origin st_origin_of(const st_value *text) {
  for (st_origin origin = ST_ORIGIN_MODEL; origin <= ST_ORIGIN_FILE; origin++)
    if (text->type == ST_TEXT && strcmp(text->bytes, ORIGINS[origin]) == 0) return origin;
  return ST_ORIGIN_ANY;
}

bool st_meaning_is_there(st_call *call) {
  st_features_ensure(call); /* sees what other processes have made */
  return st_ok(call) && st_feature_has(call, st_shared_feature(call, ST_TF_EMBEDDINGS));
}

const char *st_meaning_model(st_call *call, size_t dimension) {
  st_value asked = st_int((int64_t)dimension), model = {.type = ST_NULL};
  if (!st_meaning_is_there(call) || !st_one(call, METHOD(MODEL), &asked, &model)) return NULL;
  return model.type == ST_TEXT ? model.bytes : NULL;
}

/* ---- Keeping ---- */

static void check_model(st_call *call, const st_embedding *e) {
  const char *known = st_meaning_model(call, e->dimension);
  if (!e->model[0] && e->origin == ST_ORIGIN_MODEL) st_fail(call, STELE_INVALID, "model", "model must not be empty");
  if (!known || !known[0] || !e->model[0] || strcmp(known, e->model) == 0) return;
  st_fail(call, STELE_INVALID, "model", "model: the embeddings of dimension %zu here are made by %.*s, and cannot be compared with those of %.*s",
          e->dimension, WORD_SHOWN, known, WORD_SHOWN, e->model);
  st_hint(call, "embed with that model, or clear these embeddings and embed everything anew");
}

static void check_vector(st_call *call, const st_embedding *e) {
  if (e->dimension == 0 || e->dimension > ST_VECTOR_MAX)
    st_fail(call, STELE_INVALID, "vector", "vector has %zu numbers; 1 to %d can be kept", e->dimension, ST_VECTOR_MAX);
  else if (!st_vector_directed(e->vector, e->dimension))
    st_fail(call, STELE_INVALID, "vector", "vector must be finite, and not zeros only");
}

/* At length one, so that 16 bits are enough for every number. */
static float *make_unit(st_call *call, const st_embedding *e) {
  float *unit = st_call_alloc(call, e->dimension * sizeof *unit);
  double squares = 0;
  if (!unit) return NULL;
  for (size_t i = 0; i < e->dimension; i++) squares += (double)e->vector[i] * (double)e->vector[i];
  for (size_t i = 0; i < e->dimension; i++) unit[i] = (float)((double)e->vector[i] / sqrt(squares));
  return unit;
}

static st_value make_halves(st_call *call, const float *unit, size_t dimension) {
  char *bytes = st_call_alloc(call, dimension * ST_HALF_BYTES);
  if (!bytes) return (st_value){.type = ST_NULL};
  st_halves_put(unit, dimension, bytes);
  return (st_value){.type = ST_BLOB, .bytes = bytes, .length = dimension * ST_HALF_BYTES};
}

static st_value make_floats(st_call *call, const float *vector, size_t dimension) {
  char *bytes = st_call_alloc(call, dimension * ST_VECTOR_BYTES);
  if (!bytes) return (st_value){.type = ST_NULL};
  for (size_t i = 0; i < dimension; i++) st_vector_put(bytes + i * ST_VECTOR_BYTES, vector[i]);
  return (st_value){.type = ST_BLOB, .bytes = bytes, .length = dimension * ST_VECTOR_BYTES};
}

st_value st_meaning_text(st_call *call, const float *vector, size_t dimension) {
  st_value floats = make_floats(call, vector, dimension);
  st_str text;
  st_str_init(&text, TEXT_MAX);
  if (floats.type == ST_BLOB) st_vector_add(&text, floats.bytes, dimension);
  return st_take(call, &text);
}

bool st_meaning_has_halfvecs(const st_call *call) { return st_feature_has(call, st_shared_feature(call, ST_TF_HALFVECS)); }

/* Before the first embedding: the column and the functions of pgvector's index, where it can be had. */
static void settle_index(st_call *call) {
  st_value due = st_bool(false);
  if (call->store->driver->engine != ST_POSTGRES || st_meaning_has_halfvecs(call)) return;
  st_one(call, METHOD(DUE), NULL, &due);
  if (st_ok(call) && due.integer) st_feature_need(call, st_shared_feature(call, ST_TF_HALFVECS));
}

static void put_into_index(st_call *call, const st_value *put, const float *unit, size_t dimension) {
  st_value args[ST_P_SHARED_EMBEDDING_NEAR_VECTOR + 1], done;
  if (!st_ok(call) || !st_meaning_has_halfvecs(call)) return;
  args[ST_P_SHARED_EMBEDDING_NEAR_KIND] = put[ST_P_SHARED_EMBEDDING_PUT_KIND];
  args[ST_P_SHARED_EMBEDDING_NEAR_ID] = put[ST_P_SHARED_EMBEDDING_PUT_ID];
  args[ST_P_SHARED_EMBEDDING_NEAR_DIMENSION] = put[ST_P_SHARED_EMBEDDING_PUT_DIMENSION];
  args[ST_P_SHARED_EMBEDDING_NEAR_VECTOR] = st_meaning_text(call, unit, dimension);
  st_one(call, METHOD(NEAR), args, &done);
}

/* What was kept in its place goes first: the last of a collection may be replaced by one of another model. */
void st_meaning_keep(st_call *call, const st_embedding *e) {
  st_value args[ST_P_SHARED_EMBEDDING_PUT_TEXT_HASH + 1];
  if (!st_ok(call)) return;
  check_vector(call, e);
  st_feature_need(call, st_shared_feature(call, ST_TF_EMBEDDINGS));
  if (!st_ok(call)) return;
  args[ST_P_SHARED_EMBEDDING_PUT_KIND] = st_textz(e->kind);
  args[ST_P_SHARED_EMBEDDING_PUT_ID] = st_textz(e->id);
  args[ST_P_SHARED_EMBEDDING_PUT_DIMENSION] = st_int((int64_t)e->dimension);
  args[ST_P_SHARED_EMBEDDING_PUT_ORIGIN] = st_textz(ORIGINS[e->origin]);
  st_run(call, METHOD(REPLACE), args); /* its parameters are the first of these */
  check_model(call, e);
  settle_index(call);
  float *unit = st_ok(call) ? make_unit(call, e) : NULL;
  if (!unit) return;
  args[ST_P_SHARED_EMBEDDING_PUT_MODEL] = st_textz(e->model);
  args[ST_P_SHARED_EMBEDDING_PUT_VECTOR] = e->origin == ST_ORIGIN_CALLER ? make_floats(call, e->vector, e->dimension) : make_halves(call, unit, e->dimension);
  args[ST_P_SHARED_EMBEDDING_PUT_TEXT_HASH] = st_int((int64_t)e->text_hash);
  st_run(call, METHOD(PUT), args);
  put_into_index(call, args, unit, e->dimension);
}
_Static_assert((int)ST_P_SHARED_EMBEDDING_REPLACE_KIND == (int)ST_P_SHARED_EMBEDDING_PUT_KIND &&
                   (int)ST_P_SHARED_EMBEDDING_REPLACE_ORIGIN == (int)ST_P_SHARED_EMBEDDING_PUT_ORIGIN,
               "both methods begin with the same parameters");

/* ---- Forgetting ---- */

int64_t st_meaning_forget(st_call *call, const char *kind, const char *id, st_origin origin) {
  st_value args[ST_P_SHARED_EMBEDDING_ERASE_ORIGIN + 1] = {{0}};
  args[ST_P_SHARED_EMBEDDING_ERASE_KIND] = st_textz(kind);
  args[ST_P_SHARED_EMBEDDING_ERASE_ID] = st_textz(id);
  if (origin != ST_ORIGIN_ANY) args[ST_P_SHARED_EMBEDDING_ERASE_ORIGIN] = st_textz(ORIGINS[origin]);
  return st_meaning_is_there(call) ? st_run(call, METHOD(ERASE), args) : 0;
}

int64_t st_meaning_clear(st_call *call, size_t dimension) {
  st_value which = st_int((int64_t)dimension);
  return st_meaning_is_there(call) ? st_run(call, METHOD(CLEAR), &which) : 0;
}

/* ---- Looking up ---- */

static st_value list_of(const st_value *ids, size_t count) {
  return (st_value){.type = ST_LIST, .items = (st_value *)(uintptr_t)ids, .count = (uint32_t)count, .width = 1};
}

/* The first row of that key from a place on; count: there is none. */
static size_t place_of(const st_value *ids, size_t count, const st_value *id, size_t from) {
  while (from < count && (ids[from].length != id->length || memcmp(ids[from].bytes, id->bytes, id->length) != 0)) from++;
  return from;
}

void st_meaning_look(st_call *call, const char *kind, const st_value *ids, size_t count, size_t dimension, st_meaning_known *out) {
  st_value args[ST_P_SHARED_EMBEDDING_HASHES_DIMENSION + 1], id, hash, origin;
  st_rows rows;
  memset(out, 0, count * sizeof *out);
  if (!st_meaning_is_there(call)) return;
  args[ST_P_SHARED_EMBEDDING_HASHES_KIND] = st_textz(kind);
  args[ST_P_SHARED_EMBEDDING_HASHES_IDS] = list_of(ids, count);
  args[ST_P_SHARED_EMBEDDING_HASHES_DIMENSION] = st_int((int64_t)dimension);
  st_rows_start(call, &rows, METHOD(HASHES), args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_SHARED_EMBEDDING_HASHES_ID, &id);
    st_rows_value(call, &rows, ST_R_SHARED_EMBEDDING_HASHES_TEXT_HASH, &hash);
    st_rows_value(call, &rows, ST_R_SHARED_EMBEDDING_HASHES_ORIGIN, &origin);
    for (size_t at = 0; (at = place_of(ids, count, &id, at)) < count; at++)
      out[at] = (st_meaning_known){(uint64_t)hash.integer, st_origin_of(&origin)};
  }
  st_rows_end(call, &rows);
}

void st_meaning_made(st_call *call, const char *kind, const st_value *ids, size_t count, bool *out) {
  st_value args[ST_P_SHARED_EMBEDDING_MADE_IDS + 1], id;
  st_rows rows;
  memset(out, 0, count * sizeof *out);
  if (!st_meaning_is_there(call)) return;
  args[ST_P_SHARED_EMBEDDING_MADE_KIND] = st_textz(kind);
  args[ST_P_SHARED_EMBEDDING_MADE_IDS] = list_of(ids, count);
  st_rows_start(call, &rows, METHOD(MADE), args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_SHARED_EMBEDDING_MADE_ID, &id);
    for (size_t at = 0; (at = place_of(ids, count, &id, at)) < count; at++) out[at] = true;
  }
  st_rows_end(call, &rows);
}

int64_t st_meaning_count(st_call *call, const char *kind) {
  st_value asked = st_textz(kind), rows = st_int(0);
  if (st_meaning_is_there(call)) st_one(call, METHOD(COUNT), &asked, &rows);
  return rows.integer;
}
