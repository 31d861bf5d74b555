/* embedding.c - keeping embeddings.  See embedding.h. */
#include "stores/assistant/embedding.h"

#include <string.h>

#include "base/vector.h"
#include "engine/feature.h"
#include "registry_ids.h"
#include "search/meaning.h"
#include "stores/assistant/assistant.h"
#include "stores/assistant/meant.h"
#include "stores/assistant/said.h"

#define TEXT_MAX (64u << 20) /* of a row, or of a vector in text */

static void reply_count(st_call *call, int64_t count) {
  st_value *reply = st_reply(call);
  if (reply) reply[0] = st_int(count);
}

static int64_t erase_vector(st_call *call, const char *source, const st_value *id) {
  st_value args[ST_P_ASSISTANT_ERASE_VECTOR_ID + 1];
  if (!st_feature_has(call, ST_F_ASSISTANT_EMBEDDINGS)) return 0;
  args[ST_P_ASSISTANT_ERASE_VECTOR_KIND] = st_textz(st_said_kind(source));
  args[ST_P_ASSISTANT_ERASE_VECTOR_ID] = *id;
  return st_run(call, STELE_M_ASSISTANT_ERASE_VECTOR, args);
}

static int64_t erase_embedding(st_call *call, const char *source, const st_value *id) {
  st_value args[ST_P_ASSISTANT_ERASE_EMBEDDING_ID + 1];
  args[ST_P_ASSISTANT_ERASE_EMBEDDING_SOURCE] = st_textz(source);
  args[ST_P_ASSISTANT_ERASE_EMBEDDING_ID] = *id;
  return st_run(call, STELE_M_ASSISTANT_ERASE_EMBEDDING, args);
}

/* ---- set_embedding ---- */

/* On PostgreSQL: make the column what it should be, before something is written into it. */
static void settle_column(st_call *call) {
  st_value due = st_bool(false);
  if (st_feature_has(call, ST_F_ASSISTANT_HALFVEC)) return;
  st_one(call, STELE_M_ASSISTANT_EMBEDDINGS_DUE, NULL, &due);
  if (due.integer) st_feature_need(call, ST_F_ASSISTANT_HALFVEC);
}

static void keep_in_column(st_call *call, const char *source, const st_value *id, const st_value *embedding) {
  st_value args[ST_P_ASSISTANT_WRITE_EMBEDDING_EMBEDDING + 1];
  st_str text;
  settle_column(call);
  st_str_init(&text, TEXT_MAX);
  st_vector_add(&text, embedding->bytes, embedding->length / ST_VECTOR_BYTES);
  if (text.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  args[ST_P_ASSISTANT_WRITE_EMBEDDING_SOURCE] = st_textz(source);
  args[ST_P_ASSISTANT_WRITE_EMBEDDING_ID] = *id;
  args[ST_P_ASSISTANT_WRITE_EMBEDDING_EMBEDDING] = st_textz(text.text);
  st_run(call, STELE_M_ASSISTANT_WRITE_EMBEDDING, args);
  st_str_free(&text);
}

/* In the store's collections; what is in the column as well is a copy there. */
static void keep_in_collection(st_call *call, const char *source, const st_said *said, const st_value *embedding, const st_value *model,
                               st_origin origin) {
  size_t dimension = embedding->length / ST_VECTOR_BYTES;
  float *vector = st_call_alloc(call, dimension * sizeof *vector);
  if (!vector) return;
  st_vector_read(embedding->bytes, dimension, vector);
  st_meaning_keep(call, &(st_embedding){.kind = st_said_kind(source), .id = said->id.bytes, .model = model->type == ST_TEXT ? model->bytes : "",
                                        .vector = vector, .dimension = dimension, .text_hash = (uint64_t)st_said_hash(said), .origin = origin});
}

void st_assistant_set_embedding(st_call *call) {
  const char *source = st_arg_text(call, ST_P_ASSISTANT_SET_EMBEDDING_SOURCE);
  const st_value *id = &call->args[ST_P_ASSISTANT_SET_EMBEDDING_ID];
  const st_value *embedding = &call->args[ST_P_ASSISTANT_SET_EMBEDDING_EMBEDDING];
  st_value unnamed = {.type = ST_NULL};
  st_said said;
  st_meant_check(call, embedding);
  bool there = st_said_find(call, source, id, 0, &said), column = embedding->length == ST_EMBEDDING_DIMENSION * ST_VECTOR_BYTES;
  if (there && column) {
    keep_in_column(call, source, id, embedding);
    keep_in_collection(call, source, &said, embedding, &unnamed, ST_ORIGIN_FILE);
  } else if (there) {
    keep_in_collection(call, source, &said, embedding, &call->args[ST_P_ASSISTANT_SET_EMBEDDING_MODEL], ST_ORIGIN_CALLER);
    erase_embedding(call, source, id);
  }
  reply_count(call, there);
}

/* ---- get_embedding, clear_embedding ---- */

/* The vector in a row's column as bytes; false: there is none. */
static bool read_column(st_call *call, const char *source, const st_value *id, st_value *out) {
  st_value args[ST_P_ASSISTANT_READ_EMBEDDINGS_ID + 1], row[ST_R_ASSISTANT_READ_EMBEDDINGS_EMBEDDING + 1];
  args[ST_P_ASSISTANT_READ_EMBEDDINGS_SOURCE] = st_textz(source);
  args[ST_P_ASSISTANT_READ_EMBEDDINGS_ID] = *id;
  if (!st_one(call, STELE_M_ASSISTANT_READ_EMBEDDINGS, args, row)) return false;
  const st_value *text = &row[ST_R_ASSISTANT_READ_EMBEDDINGS_EMBEDDING];
  float *numbers = st_call_alloc(call, ST_VECTOR_MAX * sizeof *numbers);
  size_t count = numbers && text->type == ST_TEXT ? st_vector_parse(text->bytes, text->length, numbers) : 0;
  char *bytes = count ? st_call_alloc(call, count * ST_VECTOR_BYTES) : NULL;
  if (!bytes) return false;
  for (size_t i = 0; i < count; i++) st_vector_put(bytes + i * ST_VECTOR_BYTES, numbers[i]);
  *out = (st_value){.type = ST_BLOB, .bytes = bytes, .length = count * ST_VECTOR_BYTES};
  return true;
}

/* The vector that was brought.  Its dimension has to be known before it is read. */
static bool read_vector(st_call *call, const char *source, const st_value *id, st_said *said) {
  return st_said_find(call, source, id, 0, said) && st_said_is_embedded(said) &&
         st_said_find(call, source, id, said->dimension.integer, said) && said->vector.type == ST_BLOB;
}

void st_assistant_get_embedding(st_call *call) {
  const char *source = st_arg_text(call, ST_P_ASSISTANT_GET_EMBEDDING_SOURCE);
  const st_value *id = &call->args[ST_P_ASSISTANT_GET_EMBEDDING_ID];
  st_value vector = {.type = ST_NULL}, model = {.type = ST_NULL};
  st_said said;
  if (!read_column(call, source, id, &vector) && read_vector(call, source, id, &said)) {
    vector = said.vector;
    if (said.model.length) model = said.model;
  }
  st_value *reply = vector.type == ST_BLOB ? st_reply(call) : NULL;
  if (!reply) return;
  reply[ST_R_ASSISTANT_GET_EMBEDDING_DIMENSION] = st_int((int64_t)(vector.length / ST_VECTOR_BYTES));
  reply[ST_R_ASSISTANT_GET_EMBEDDING_MODEL] = model;
  reply[ST_R_ASSISTANT_GET_EMBEDDING_EMBEDDING] = vector;
}

void st_assistant_clear_embedding(st_call *call) {
  const char *source = st_arg_text(call, ST_P_ASSISTANT_CLEAR_EMBEDDING_SOURCE);
  const st_value *id = &call->args[ST_P_ASSISTANT_CLEAR_EMBEDDING_ID];
  int64_t erased = erase_embedding(call, source, id) + erase_vector(call, source, id);
  reply_count(call, erased > 0);
}

/* ---- list_unembedded ---- */

static void tell_unembedded(st_call *call, const st_said *said) {
  st_value *reply = st_reply(call);
  st_str text;
  if (!reply) return;
  st_str_init(&text, TEXT_MAX);
  st_said_join(said, &text);
  if (text.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  reply[ST_R_ASSISTANT_LIST_UNEMBEDDED_ID] = said->id;
  reply[ST_R_ASSISTANT_LIST_UNEMBEDDED_ID].bytes = st_call_copy(call, said->id.bytes, said->id.length);
  reply[ST_R_ASSISTANT_LIST_UNEMBEDDED_TEXT] = (st_value){.type = ST_TEXT, .length = text.length};
  reply[ST_R_ASSISTANT_LIST_UNEMBEDDED_TEXT].bytes = st_call_copy(call, text.length ? text.text : "", text.length);
  st_str_free(&text);
}

/* Rows that never had one.  How many. */
static int64_t list_new(st_call *call, const char *source, int64_t limit) {
  st_said_which which = {.source = source, .unembedded = true, .limit = limit};
  int64_t count = 0;
  st_said said;
  st_rows rows;
  st_said_start(call, &rows, &which);
  for (; st_rows_next(call, &rows); count++) {
    st_said_get(call, &rows, &said);
    tell_unembedded(call, &said);
  }
  st_rows_end(call, &rows);
  return count;
}

/* Offer the rows of a source whose vector is of another text than they have. */
static void find_stale(st_call *call, const char *source, st_best *stale) {
  st_said_which which = {.source = source, .kept = true};
  st_said said;
  st_rows rows;
  if (!st_feature_has(call, ST_F_ASSISTANT_EMBEDDINGS)) return;
  st_said_start(call, &rows, &which);
  while (st_rows_next(call, &rows)) {
    st_said_get(call, &rows, &said);
    if (!st_said_is_embedded(&said)) st_best_offer(call, stale, source, &said.id, &said.created_at, 0);
  }
  st_rows_end(call, &rows);
}

void st_assistant_list_unembedded(st_call *call) {
  const char *source = st_arg_text(call, ST_P_ASSISTANT_LIST_UNEMBEDDED_SOURCE);
  int64_t limit = st_arg_int(call, ST_P_ASSISTANT_LIST_UNEMBEDDED_LIMIT);
  limit -= list_new(call, source, limit);
  if (limit == 0) return;
  st_best stale;
  st_said said;
  st_best_init(call, &stale, (int)limit);
  find_stale(call, source, &stale);
  for (int i = 0; i < stale.count && st_ok(call); i++)
    if (st_said_find(call, source, &stale.rows[i].id, 0, &said)) tell_unembedded(call, &said);
}

/* ---- sweep_embeddings, upgrade_embeddings ---- */

/* So many at a time: which of them go is found before any goes. */
#define SWEEP 1000

static int64_t sweep_source(st_call *call, const char *source) {
  int64_t erased = 0;
  st_best stale;
  do {
    st_best_init(call, &stale, SWEEP);
    find_stale(call, source, &stale);
    for (int i = 0; i < stale.count && st_ok(call); i++) erased += erase_vector(call, source, &stale.rows[i].id);
  } while (stale.count == SWEEP && st_ok(call));
  return erased;
}

void st_assistant_sweep_embeddings(st_call *call) {
  int64_t erased = 0;
  if (st_feature_has(call, ST_F_ASSISTANT_EMBEDDINGS)) {
    erased = st_run(call, STELE_M_ASSISTANT_ERASE_ORPHAN_VECTORS, NULL);
    for (int i = 0; i < ST_SOURCES; i++) erased += sweep_source(call, st_sources[i]);
  }
  reply_count(call, erased);
}

void st_assistant_upgrade_embeddings(st_call *call) {
  if (call->store->driver->engine == ST_POSTGRES) st_feature_need(call, ST_F_ASSISTANT_HALFVEC);
  st_value *reply = st_reply(call);
  if (reply) reply[0] = st_textz(st_feature_has(call, ST_F_ASSISTANT_HALFVEC) ? "halfvec" : "text");
}
